//! What is not the machine's stays: VMs of others, nodes of the same name, and VMs whose machine nobody knows yet.

use std::time::Duration;

use millwright_simcloud::{Boot, BootMode, CreateVm, IfNameTaken, Secret, VmView};
use millwright_simkube::{WatchFault, Watches};
use serde_json::json;

use crate::world::objects::{self, NAMESPACE};
use crate::world::{Plan, Setting, World, in_world};

fn vm(world: &World, name: &str, tags: &[(&str, &str)]) -> VmView {
    let tags = tags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let request = CreateVm {
        name: name.into(),
        if_name_taken: IfNameTaken::Allow,
        client_token: format!("by hand: {name}"),
        size: "small".into(),
        image: "ubuntu-24.04".into(),
        zone: "local-a".into(),
        disk_gib: 20,
        network: "default".into(),
        tags,
        user_data: Secret::new(""),
        boot: Boot { mode: BootMode::Never, delay_seconds: 1.0 },
    };
    world.cloud.create_vm(request).unwrap().vm()
}

fn prepare(world: &World) {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
}

#[test]
fn a_vm_without_our_tags_stays_although_a_machine_names_it() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        prepare(&world);
        let theirs = vm(&world, "solo", &[]);
        let mut machine = objects::machine("solo");
        machine["spec"]["providerID"] = json!(format!("local:///local-a/{}", theirs.id));
        world.apply(machine);
        world.start();
        world.rest(Duration::from_secs(120)).await;
        world.delete("machines", "solo");
        world.rest(Duration::from_secs(3600)).await;
        assert!(world.cloud.vm(&theirs.id).is_ok());
    });
    played.clean();
}

#[test]
fn a_vm_whose_machine_nobody_knows_has_its_time_of_grace_and_then_goes_with_an_event() {
    let flags = Setting::alone(Plan::Calm).with("--machine-safety-orphan-vms-period=1m");
    let played = in_world(flags, |world| async move {
        prepare(&world);
        world.start();
        world.rest(Duration::from_secs(90)).await;
        let tags = [
            ("kubernetes.io/cluster/one", "1"),
            ("kubernetes.io/role/node", "1"),
            ("machine-uid", "unknown"),
        ];
        let stray = vm(&world, "stray", &tags);
        world.rest(Duration::from_secs(240)).await;
        assert!(world.cloud.vm(&stray.id).is_ok(), "its machine may only not be visible yet");
        world
            .until("it is collected", || world.cloud.vms().is_empty() && world.cloud.nics().is_empty())
            .await;
        world
            .until("its end is told", || {
                world.operator.list("events").iter().any(|event| event["reason"] == "DeletedOrphan")
            })
            .await;
    });
    played.clean();
}

#[test]
fn a_vm_that_was_renamed_stays_for_as_long_as_its_machine_lives() {
    let flags = Setting::alone(Plan::Calm).with("--machine-safety-orphan-vms-period=1m");
    let played = in_world(flags, |world| async move {
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.apply(objects::machine("other"));
        world.start();
        world.until_running(2).await;
        let vms = world.cloud.vms();
        let [solo, other] = ["solo", "other"].map(|name| vms.iter().find(|vm| vm.name == name).unwrap());
        world.cloud.rename_vm(&solo.id, "renamed-by-hand").unwrap();
        // One may even be given the name of another machine.
        world.cloud.rename_vm(&other.id, "solo").unwrap();
        world.rest(Duration::from_secs(3600)).await;
        assert_eq!(world.cloud.vms().len(), 2);
        let told = world.operator.list("events");
        assert!(told.iter().all(|event| event["reason"] != "FoundOrphan"), "{told:?}");
    });
    played.clean();
}

#[test]
fn a_machine_whose_vm_was_renamed_is_never_kept_from_going() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.until_running(1).await;
        let id = world.cloud.vms()[0].id.clone();
        world.cloud.rename_vm(&id, "renamed-by-hand").unwrap();
        world.delete("machines", "solo");
        world
            .until("the machine is gone", || world.operator.get("machines", NAMESPACE, "solo").is_none())
            .await;
        assert!(world.cloud.vms().is_empty(), "and its VM with it");
    });
    played.clean();
}

#[test]
fn a_node_that_took_the_name_of_the_machines_node_stays() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.until_running(1).await;
        // The controller goes on to see the old node; somebody else's has its name by now.
        world.kube.watch_faults(Watches::of("nodes"), WatchFault::Delay(Duration::from_secs(900)));
        world.operator.remove("nodes", "", "solo");
        world.apply(json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "solo"}, "spec": {"providerID": "local:///local-a/i-other"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }));
        let theirs = world.operator.get("nodes", "", "solo").unwrap()["metadata"]["uid"].clone();
        world.delete("machines", "solo");
        world
            .until("the machine is gone", || world.operator.get("machines", NAMESPACE, "solo").is_none())
            .await;
        let left = world.operator.get("nodes", "", "solo").map(|node| node["metadata"]["uid"].clone());
        assert_eq!(left, Some(theirs));
    });
    played.clean();
}

#[test]
fn a_machine_that_took_the_name_of_a_sets_machine_stays() {
    let played = in_world(Setting::alone(Plan::Calm), |world| async move {
        prepare(&world);
        world.apply(objects::deployment("pool", 1));
        world.start();
        world.until_running(1).await;
        let name = world.cloud.vms()[0].name.clone();
        // The controller goes on to see its own machine; a user's has its name by now.
        world.kube.watch_faults(Watches::of("machines"), WatchFault::Delay(Duration::from_secs(600)));
        world.operator.remove("machines", NAMESPACE, &name);
        world.apply(objects::machine(&name));
        let scaled = world.operator.modify("machinedeployments", NAMESPACE, "pool", |deployment| {
            deployment["spec"]["replicas"] = json!(0);
        });
        scaled.unwrap();
        world.rest(Duration::from_secs(3600)).await;
        let theirs = world.machine(&name).unwrap();
        assert!(theirs["metadata"]["deletionTimestamp"].is_null());
        assert_eq!(theirs["metadata"]["labels"]["pool"], "solo");
    });
    played.clean();
}
