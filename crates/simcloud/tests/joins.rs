//! VMs against a stand-in for an API server: how they join, live, fall ill, die and come back.

#![allow(clippy::unwrap_used, reason = "test code")]

#[path = "stand_in/kubernetes.rs"]
mod kubernetes;

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_simcloud::{
    Boot, BootMode, Cloud, Config, CreateVm, Health, IfNameTaken, Phase, Running, Secret, SimCloud, State,
    VmView,
};
use serde_json::json;

use self::kubernetes::Kubernetes;

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

fn request(name: &str, user_data: &str) -> CreateVm {
    CreateVm {
        name: name.to_owned(),
        if_name_taken: IfNameTaken::Allow,
        client_token: format!("uid-{name}"),
        size: "small".to_owned(),
        image: "ubuntu-24.04".to_owned(),
        zone: "local-a".to_owned(),
        disk_gib: 20,
        network: "default".to_owned(),
        tags: BTreeMap::new(),
        user_data: Secret::new(STANDARD.encode(user_data)),
        boot: Boot { mode: BootMode::Kubelet, delay_seconds: 0.0 },
    }
}

async fn cloud() -> Running {
    SimCloud::start(Config::new("token-of-the-test")).await.unwrap()
}

fn create(cloud: &Cloud, name: &str, user_data: &str) -> String {
    cloud.create_vm(request(name, user_data)).unwrap().vm().id
}

/// Waits until `done`, for as long as a slow machine may need; shows the VMs when it is in vain.
async fn wait_until(what: &str, cloud: &Cloud, mut done: impl FnMut() -> bool) {
    for _ in 0..1200 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let vms: Vec<VmView> = cloud.vms().iter().filter_map(|vm| cloud.vm(&vm.id).ok()).collect();
    panic!("{what}: not within a minute; VMs: {vms:#?}");
}

async fn wait_for_phase(cloud: &Cloud, id: &str, phase: Phase) {
    wait_until(&format!("phase {phase}"), cloud, || cloud.vm(id).is_ok_and(|vm| vm.phase == phase)).await;
}

#[tokio::test]
async fn a_vm_joins_with_a_certificate_of_its_own() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let id = create(running.cloud(), "worker-1", &kubernetes.cloud_config());
    wait_for_phase(running.cloud(), &id, Phase::Joined).await;
    wait_until("a lease", running.cloud(), || kubernetes.world.lock().leases.contains_key("worker-1")).await;

    let node = kubernetes.world.lock().nodes["worker-1"].clone();
    assert_eq!(node["spec"]["providerID"], format!("local:///local-a/{id}"));
    let labels = &node["metadata"]["labels"];
    assert_eq!(labels["pool"], "a");
    assert_eq!(
        node["metadata"]["annotations"]["volumes.kubernetes.io/controller-managed-attach-detach"],
        "true"
    );
    assert_eq!(labels["kubernetes.io/hostname"], "worker-1");
    assert_eq!(labels["topology.kubernetes.io/zone"], "local-a");
    assert_eq!(labels["node.kubernetes.io/instance-type"], "small");
    assert_eq!(node["status"]["capacity"]["cpu"], "2");
    assert_eq!(
        node["status"]["addresses"][0]["address"],
        running.cloud().vm(&id).unwrap().address.to_string()
    );
    assert_eq!(kubernetes.condition("worker-1", "Ready").as_deref(), Some("True"));
    assert_eq!(kubernetes.condition("worker-1", "KernelDeadlock").as_deref(), Some("False"));

    assert_eq!(kubernetes.count("system:node:worker-1", "POST", "/api/v1/nodes"), 1);
    let lease = kubernetes.world.lock().leases["worker-1"].clone();
    assert_eq!(lease["metadata"]["ownerReferences"][0]["uid"], "uid-of-worker-1");
    assert_eq!(lease["spec"]["leaseDurationSeconds"], 40);
    let request = kubernetes.world.lock().requests.values().next().unwrap().clone();
    assert_eq!(request["spec"]["usages"], json!(["digital signature", "client auth"]));

    let vm = running.cloud().vm(&id).unwrap();
    assert_eq!(vm.node_name.as_deref(), Some("worker-1"));
    assert!(vm.console.iter().any(|line| line.ends_with("joined as node worker-1")), "{:?}", vm.console);
    assert!(!format!("{vm:?}").contains(kubernetes::BOOTSTRAP_TOKEN));
    running.stop().await;
}

#[tokio::test]
async fn ignition_leads_into_the_cluster_as_well_and_its_host_name_is_the_nodes() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let kubeconfig = STANDARD.encode(kubernetes.kubeconfig(kubernetes::BOOTSTRAP_TOKEN));
    let ignition = json!({
        "ignition": { "version": "3.3.0" },
        "storage": { "files": [
            { "path": "/etc/kubernetes/bootstrap-kubeconfig", "contents": { "source": format!("data:;base64,{kubeconfig}") } },
            { "path": "/etc/hostname", "contents": { "source": "data:,node-of-worker" } },
        ] },
    });
    let id = create(running.cloud(), "worker-1", &ignition.to_string());
    wait_for_phase(running.cloud(), &id, Phase::Joined).await;
    assert!(kubernetes.world.lock().nodes.contains_key("node-of-worker"));
    assert_eq!(running.cloud().vm(&id).unwrap().node_name.as_deref(), Some("node-of-worker"));
}

#[tokio::test]
async fn health_shows_on_the_node_and_a_dead_vm_comes_back_as_who_it_was() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let id = create(cloud, "worker-1", &kubernetes.cloud_config());
    wait_for_phase(cloud, &id, Phase::Joined).await;

    let ill = Health {
        state: State::NotReady,
        conditions: BTreeMap::from([("DiskPressure".to_owned(), "True".to_owned())]),
    };
    cloud.set_health(&id, ill).unwrap();
    let shows = |kind: &str, status: &str| kubernetes.condition("worker-1", kind).as_deref() == Some(status);
    wait_until("NotReady", cloud, || shows("Ready", "False") && shows("DiskPressure", "True")).await;
    cloud.set_health(&id, State::Ready.into()).unwrap();
    wait_until("Ready", cloud, || shows("Ready", "True") && shows("DiskPressure", "False")).await;

    let refused = cloud.set_health(&id, State::NeverJoin.into()).unwrap_err();
    assert!(refused.message.contains("joined already"), "{refused}");
    cloud.set_health(&id, State::Dead.into()).unwrap();
    assert_eq!(cloud.vm(&id).unwrap().phase, Phase::Off);
    cloud.set_health(&id, State::Ready.into()).unwrap();
    wait_for_phase(cloud, &id, Phase::Joined).await;
    // It registered twice, with the certificate of the first time.
    assert_eq!(kubernetes.world.lock().requests.len(), 1);
    assert_eq!(kubernetes.count("system:node:worker-1", "POST", "/api/v1/nodes"), 2);
}

#[tokio::test]
async fn a_kubelet_takes_back_what_others_wrote_about_its_node() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let id = create(cloud, "worker-1", &kubernetes.cloud_config());
    wait_for_phase(cloud, &id, Phase::Joined).await;
    for condition in kubernetes.world.lock().nodes.get_mut("worker-1").unwrap()["status"]["conditions"]
        .as_array_mut()
        .unwrap()
    {
        condition["status"] = json!("Unknown");
    }
    let shows = |kind: &str, status: &str| kubernetes.condition("worker-1", kind).as_deref() == Some(status);
    wait_until("Ready", cloud, || shows("Ready", "True") && shows("DiskPressure", "False")).await;
}

#[tokio::test]
async fn a_node_that_was_deleted_registers_again_only_after_a_restart() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let id = create(cloud, "worker-1", &kubernetes.cloud_config());
    wait_for_phase(cloud, &id, Phase::Joined).await;
    wait_until("a lease", cloud, || kubernetes.world.lock().leases.contains_key("worker-1")).await;
    {
        let mut world = kubernetes.world.lock();
        world.nodes.clear();
        world.leases.clear();
    }
    wait_for_phase(cloud, &id, Phase::NodeGone).await;
    assert!(kubernetes.world.lock().nodes.is_empty());
    cloud.set_health(&id, State::Ready.into()).unwrap();
    wait_for_phase(cloud, &id, Phase::Joined).await;
    assert!(kubernetes.world.lock().nodes.contains_key("worker-1"));
}

#[tokio::test]
async fn pods_of_the_node_start_and_end() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let id = create(cloud, "worker-1", &kubernetes.cloud_config());
    wait_for_phase(cloud, &id, Phase::Joined).await;
    let pod = |metadata: serde_json::Value| {
        let mut pod = json!({
            "metadata": { "name": "web", "namespace": "default", "uid": "u-1" },
            "spec": { "nodeName": "worker-1", "containers": [{ "name": "c", "image": "i" }] },
            "status": { "phase": "Pending" },
        });
        pod["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        pod
    };
    kubernetes.put_pod(pod(json!({})));
    let phase = || kubernetes.world.lock().pods.get("default/web").map(|pod| pod["status"]["phase"].clone());
    wait_until("a running pod", cloud, || phase() == Some(json!("Running"))).await;
    kubernetes.put_pod(pod(
        json!({ "deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30 }),
    ));
    wait_until("no pod", cloud, || phase().is_none()).await;
    assert_eq!(kubernetes.count("system:node:worker-1", "DELETE", "/api/v1/namespaces/default/pods/web"), 1);
}

#[tokio::test]
async fn useless_user_data_is_the_last_line_of_the_console() {
    let running = cloud().await;
    let id = create(running.cloud(), "worker-1", "#!/bin/sh\nkubelet\n");
    wait_for_phase(running.cloud(), &id, Phase::Failed).await;
    let console = running.cloud().vm(&id).unwrap().console;
    assert!(console.last().unwrap().contains("it must be cloud-config"), "{console:?}");
}

#[tokio::test]
async fn what_the_cluster_refuses_is_tried_again_until_it_is_granted() {
    let kubernetes = Kubernetes::start().await;
    kubernetes.world.lock().deny = true;
    let running = cloud().await;
    let cloud = running.cloud();
    let id = create(cloud, "worker-1", &kubernetes.cloud_config());
    let refused = || cloud.vm(&id).unwrap().console.iter().any(|line| line.contains("was Denied: not today"));
    wait_until("the refusal on the console", cloud, refused).await;
    kubernetes.world.lock().deny = false;
    wait_for_phase(cloud, &id, Phase::Joined).await;
}

#[tokio::test]
async fn a_cluster_that_does_not_know_the_token_keeps_the_vm_out() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let wrong = STANDARD.encode(kubernetes.kubeconfig("wrong0.0123456789abcdef"));
    let user_data = format!(
        "#cloud-config\nwrite_files:\n- path: /etc/kubernetes/bootstrap-kubeconfig\n  encoding: b64\n  content: {wrong}\n"
    );
    let id = create(cloud, "worker-1", &user_data);
    let refused = || cloud.vm(&id).unwrap().console.iter().any(|line| line.contains("401 Unauthorized"));
    wait_until("the refusal on the console", cloud, refused).await;
    let vm = cloud.vm(&id).unwrap();
    assert_eq!((vm.phase, vm.node_name), (Phase::Joining, None));
    assert!(!vm.console.join("").contains("wrong0"), "{:?}", vm.console);
}

#[tokio::test]
async fn a_direct_vm_is_one_request_and_ready_in_it() {
    let kubernetes = Kubernetes::start().await;
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    std::fs::write(&kubeconfig, kubernetes.admin_kubeconfig()).unwrap();
    let config = Config { kubeconfig: Some(kubeconfig), ..Config::new("token-of-the-test") };
    let running = SimCloud::start(config).await.unwrap();
    let cloud = running.cloud();
    let boot = Boot { mode: BootMode::Direct, delay_seconds: 0.0 };
    let id = cloud.create_vm(CreateVm { boot, ..request("worker-1", "") }).unwrap().vm().id;
    wait_for_phase(cloud, &id, Phase::Joined).await;
    assert_eq!(kubernetes.condition("worker-1", "Ready").as_deref(), Some("True"));
    let created = json!({ "create": { "nodes": 1 } });
    assert_eq!(serde_json::to_value(cloud.stats().kubernetes).unwrap(), created);
    assert_eq!(kubernetes.count("simcloud", "POST", "/api/v1/nodes"), 1);

    cloud.set_health(&id, State::Dead.into()).unwrap();
    let shows = |status: &str| kubernetes.condition("worker-1", "Ready").as_deref() == Some(status);
    wait_until("Unknown", cloud, || shows("Unknown")).await;
    cloud.set_health(&id, State::Ready.into()).unwrap();
    wait_until("Ready", cloud, || shows("True")).await;
}

#[tokio::test]
async fn without_a_kubeconfig_direct_is_refused_at_once() {
    let running = cloud().await;
    let boot = Boot { mode: BootMode::Direct, delay_seconds: 0.0 };
    let refusal = running.cloud().create_vm(CreateVm { boot, ..request("worker-1", "") }).unwrap_err();
    assert!(refusal.message.contains("--kubeconfig"), "{refusal}");
}

#[tokio::test]
async fn a_vm_that_never_joins_does_not() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let boot = Boot { mode: BootMode::Never, delay_seconds: 0.0 };
    let by_mode = cloud.create_vm(CreateVm { boot, ..request("worker-1", "") }).unwrap().vm().id;
    wait_for_phase(cloud, &by_mode, Phase::NeverJoins).await;
    let boot = Boot { mode: BootMode::Kubelet, delay_seconds: 3600.0 };
    let told = CreateVm { boot, ..request("worker-2", &kubernetes.cloud_config()) };
    let told = cloud.create_vm(told).unwrap().vm().id;
    assert_eq!(cloud.set_health(&told, State::NeverJoin.into()).unwrap().phase, Phase::NeverJoins);
    assert_eq!(kubernetes.world.lock().seen.len(), 0);
}

#[tokio::test]
async fn after_a_restart_of_the_cloud_its_vms_are_the_nodes_they_were() {
    let kubernetes = Kubernetes::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config =
        || Config { state: Some(folder.path().join("state.jsonl")), ..Config::new("token-of-the-test") };
    let running = SimCloud::start(config()).await.unwrap();
    let ids: Vec<String> =
        ["worker-1", "worker-2"].map(|name| create(running.cloud(), name, &kubernetes.cloud_config())).into();
    for id in &ids {
        wait_for_phase(running.cloud(), id, Phase::Joined).await;
    }
    running.cloud().delete_vm(&ids[1]).unwrap();
    let before = running.cloud().vm(&ids[0]).unwrap();
    running.stop().await;
    assert!(!std::fs::read_to_string(folder.path().join("state.jsonl")).unwrap().is_empty());

    let renewed = |world: &kubernetes::World| world.leases["worker-1"]["spec"]["renewTime"].clone();
    let last = renewed(&kubernetes.world.lock());
    let running = SimCloud::start(config()).await.unwrap();
    let cloud = running.cloud();
    let after = cloud.vm(&ids[0]).unwrap();
    assert_eq!(VmView { console: Vec::new(), ..before }, VmView { console: Vec::new(), ..after });
    assert!(cloud.vm(&ids[1]).is_err());
    wait_until("a renewed lease", cloud, || renewed(&kubernetes.world.lock()) != last).await;
    assert_eq!(kubernetes.world.lock().requests.len(), 2, "no new certificate was needed");
    assert_eq!(kubernetes.count("system:node:worker-1", "POST", LEASES), 2);
}

#[tokio::test]
async fn a_deleted_vm_hangs_up() {
    let kubernetes = Kubernetes::start().await;
    let running = cloud().await;
    let cloud = running.cloud();
    let id = create(cloud, "worker-1", &kubernetes.cloud_config());
    wait_for_phase(cloud, &id, Phase::Joined).await;
    assert!(kubernetes.world.lock().open > 0);
    cloud.delete_vm(&id).unwrap();
    wait_until("no connection", cloud, || kubernetes.world.lock().open == 0).await;
}
