//! Births that go wrong or ask for more than the usual, on the real services.

use millwright_api::MachineCode;
use millwright_clouds as clouds;
use millwright_provider::Initialization;
use millwright_provider::contract::ScriptedCloud as _;
use reqwest::Method;
use serde_json::json;

use super::lab::{ProjectCloud, makes_a_server, server_id};
use super::life::{Class, born, died, machine};
use super::tenant::{POD_CIDRS, alone, cloud, text};

#[tokio::test(flavor = "multi_thread")]
async fn no_valid_host_is_exhausted_and_the_failed_server_is_deleted() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let admin = cloud().await.admin().await.unwrap();
    let flavor = json!({ "flavor": { "name": format!("huge-{}", lab.tenant.project.name), "vcpus": 5000, "ram": 64, "disk": 1 } });
    admin.call(Method::POST, "compute", "/flavors", Some(&flavor)).await.unwrap();
    let mut class = Class::of(&lab);
    class.spec["spec"]["flavorName"] = flavor["flavor"]["name"].clone();
    let mut machine = machine(1);
    let error = born(&*lab.provider(), &class, &mut machine).await.unwrap_err();
    assert_eq!(error.code, MachineCode::ResourceExhausted, "{error}");
    assert!(error.message.contains("No valid host was found"), "{error}");
    died(&*lab.provider(), &class, &machine).await;
    assert!(lab.tenant.servers().await.is_empty());
    assert!(lab.tenant.ports().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_quota_is_exhausted_and_leaves_no_port() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let quota = json!({ "quota_set": { "instances": 0 } });
    lab.set_quota("compute", "/os-quota-sets", &quota).await;
    let error = born(&*lab.provider(), &Class::of(&lab), &mut machine(1)).await.unwrap_err();
    assert_eq!(error.code, MachineCode::ResourceExhausted, "{error}");
    assert!(error.message.contains("Quota exceeded"), "{error}");
    assert!(lab.tenant.ports().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_subnet_is_exhausted() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let subnet = json!({ "subnet": {
        "network_id": lab.tenant.network, "cidr": "10.9.0.0/30", "ip_version": 4, "enable_dhcp": false,
        "allocation_pools": [{ "start": "10.9.0.2", "end": "10.9.0.2" }] } });
    let subnet = lab.tenant.user.call(Method::POST, "network", "/v2.0/subnets", Some(&subnet)).await.unwrap();
    let subnet = text(&subnet["subnet"]["id"]);
    let port =
        json!({ "port": { "network_id": lab.tenant.network, "fixed_ips": [{ "subnet_id": subnet }] } });
    lab.tenant.user.call(Method::POST, "network", "/v2.0/ports", Some(&port)).await.unwrap();
    let mut class = Class::of(&lab);
    class.spec["spec"]["subnetIDs"] = json!([subnet]);
    let error = born(&*lab.provider(), &class, &mut machine(1)).await.unwrap_err();
    assert_eq!(error.code, MachineCode::ResourceExhausted, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_exist_is_named() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    for (field, code, expected) in [
        ("imageName", MachineCode::InvalidArgument, "no image is called \"nothing\""),
        ("flavorName", MachineCode::ResourceExhausted, "no flavor is called \"nothing\""),
        ("keyName", MachineCode::InvalidArgument, "key"),
        ("availabilityZone", MachineCode::InvalidArgument, "availability zone"),
    ] {
        let mut class = Class::of(&lab);
        class.spec["spec"][field] = json!("nothing");
        let error = born(&*lab.provider(), &class, &mut machine(1)).await.unwrap_err();
        assert_eq!(error.code, code, "{field}: {error}");
        assert!(error.message.contains(expected), "{field}: {error}");
    }
    assert!(lab.tenant.ports().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pod_ranges_pass_pairs_that_were_there_are_kept_and_groups_stand_at_the_port() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let user = &lab.tenant.user;
    let group = json!({ "security_group": { "name": "workers" } });
    let group = user.call(Method::POST, "network", "/v2.0/security-groups", Some(&group)).await.unwrap();
    let group = text(&group["security_group"]["id"]);
    let mut class = Class::of(&lab);
    class.spec["spec"]["securityGroups"] = json!(["workers"]);
    let mut machine = machine(1);
    born(&*lab.provider(), &class, &mut machine).await.unwrap();

    let port = lab.tenant.ports().await.remove(0);
    assert_eq!(port["security_groups"], json!([group]));
    let path = format!("/v2.0/ports/{}", port["id"].as_str().unwrap());
    let other = json!({ "port": { "allowed_address_pairs": [{ "ip_address": "192.0.2.7" }] } });
    user.call(Method::PUT, "network", &path, Some(&other)).await.unwrap();

    let done = lab.provider().initialize(class.target(&machine)).await.unwrap();
    assert_eq!(done.initialization, Initialization::Done);
    let port = lab.tenant.ports().await.remove(0);
    let pairs = port["allowed_address_pairs"].as_array().unwrap();
    let mut addresses: Vec<String> = pairs.iter().map(|pair| text(&pair["ip_address"])).collect();
    addresses.sort();
    let mut expected = vec!["192.0.2.7", POD_CIDRS[0], POD_CIDRS[1]];
    expected.sort_unstable();
    assert_eq!(addresses, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_nova_made_is_opened_and_goes_with_its_server() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let mut class = Class::of(&lab);
    let spec = class.spec["spec"].as_object_mut().unwrap();
    spec.shift_remove("subnetIDs");
    spec.shift_remove("networkID");
    spec.insert("networks".into(), json!([{ "name": "nodes", "podNetwork": true }]));
    let mut machine = machine(1);
    let created = born(&*lab.provider(), &class, &mut machine).await.unwrap();
    assert!(matches!(created.initialization, Initialization::Missing { .. }));
    lab.provider().initialize(class.target(&machine)).await.unwrap();
    let seen = lab.provider().status(class.target(&machine)).await.unwrap();
    assert_eq!(seen.initialization, Initialization::Done);
    assert_eq!(lab.tenant.ports().await[0]["allowed_address_pairs"].as_array().unwrap().len(), 2);
    lab.proxy.forget();
    died(&*lab.provider(), &class, &machine).await;
    let deletes = lab.proxy.calls().iter().filter(|call| call.method == Method::DELETE).count();
    assert_eq!(deletes, 1);
    assert!(lab.tenant.ports().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_class_of_the_smallest_kind_without_pod_networks_needs_no_step() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let mut class = Class::of(&lab);
    let spec = class.spec["spec"].as_object_mut().unwrap();
    spec.shift_remove("subnetIDs");
    spec.shift_remove("networkID");
    spec.insert("networks".into(), json!([{ "id": lab.tenant.network }]));
    spec.insert("useConfigDrive".into(), json!(true));
    let group = json!({ "server_group": { "name": "spread", "policy": "soft-anti-affinity" } });
    let group =
        lab.tenant.user.call(Method::POST, "compute", "/os-server-groups", Some(&group)).await.unwrap();
    spec.insert("serverGroupID".into(), group["server_group"]["id"].clone());
    let mut machine = machine(1);
    let created = born(&*lab.provider(), &class, &mut machine).await.unwrap();
    assert_eq!(created.initialization, Initialization::Done);
    assert_eq!(created.node_name, "worker-1");
    assert!(
        created
            .addresses
            .iter()
            .any(|address| address.type_ == "InternalIP" && address.address.starts_with("10.250."))
    );
    let path = format!("/os-server-groups/{}", text(&group["server_group"]["id"]));
    let group = lab.tenant.user.call(Method::GET, "compute", &path, None).await.unwrap();
    assert_eq!(group["server_group"]["members"], json!([server_id(&created.provider_id)]));
    let server = lab.tenant.servers().await.remove(0);
    assert_eq!(server["config_drive"], json!("True"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_of_another_machine_of_that_name_in_the_cluster_stops_the_birth_and_stays() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let metadata = json!({ "kubernetes.io-cluster-one": "1", "kubernetes.io-role-node": "1", "machine-uid": "of-before" });
    let id = lab.tenant.place("worker-1", &metadata).await;
    let class = Class::of(&lab);
    let error = born(&*lab.provider(), &class, &mut machine(1)).await.unwrap_err();
    assert_eq!(error.code, MachineCode::AlreadyExists, "{error}");
    died(&*lab.provider(), &class, &machine(1)).await;
    assert_eq!(text(&lab.tenant.servers().await[0]["id"]), id);
}

#[tokio::test(flavor = "multi_thread")]
async fn births_after_lost_replies_adopt_their_server() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let class = Class::of(&lab);
    let mut machine = machine(1);
    lab.arm(clouds::When::Nth(1), clouds::Effect::LoseReply, makes_a_server);
    let error = born(&*lab.provider(), &class, &mut machine).await.unwrap_err();
    assert_eq!(error.code, MachineCode::Unavailable, "{error}");
    born(&*lab.provider(), &class, &mut machine).await.unwrap();
    let made = lab.proxy.calls().iter().filter(|call| makes_a_server(call)).count();
    assert_eq!((made, lab.tenant.servers().await.len(), lab.tenant.ports().await.len()), (1, 1, 1));
}
