//! VMs that no machine owns.

use std::collections::BTreeMap;

use millwright_simcloud::{Boot, BootMode, CreateVm, IfNameTaken, Operation, Secret};

use crate::fleet::Fleet;
use crate::runtime::run;

/// Looks for orphans all the time, and at those of any age.
pub(crate) const OFTEN: [&str; 2] =
    ["--machine-safety-orphan-vms-period=1s", "--machine-safety-orphan-vms-grace=1s"];

/// A VM of a cluster that no machine owns.
pub(crate) fn orphan(name: &str, cluster: &str) -> CreateVm {
    let tags =
        [(format!("kubernetes.io/cluster/{cluster}"), "1"), ("kubernetes.io/role/node".to_owned(), "1")];
    CreateVm {
        name: name.to_owned(),
        if_name_taken: IfNameTaken::Allow,
        client_token: name.to_owned(),
        size: "small".to_owned(),
        image: "ubuntu-24.04".to_owned(),
        zone: "local-a".to_owned(),
        disk_gib: 20,
        network: "default".to_owned(),
        tags: tags.map(|(key, value)| (key, value.to_owned())).into_iter().collect::<BTreeMap<_, _>>(),
        user_data: Secret::new(""),
        boot: Boot { mode: BootMode::Never, delay_seconds: 0.0 },
    }
}

#[test]
fn an_orphan_vm_is_collected_and_one_of_another_cluster_never() {
    run(async {
        let fleet = Fleet::start("orphan", &OFTEN).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        fleet.cloud().create_vm(orphan("lost", &fleet.namespace)).unwrap();
        fleet.cloud().create_vm(orphan("foreign", "another")).unwrap();
        fleet.until("the orphan is gone", async |fleet| fleet.vm("lost").is_none().then_some(())).await;
        let lists = |fleet: &Fleet| fleet.cloud().stats().calls[&Operation::ListVms];
        let before = lists(&fleet);
        fleet.until("three more sweeps", async |fleet| (lists(fleet) >= before + 3).then_some(())).await;
        assert!(fleet.vm("foreign").is_some() && fleet.vm(&machine).is_some());
        let events = fleet.kubectl_must(&["get", "events"]).await;
        assert!(events.contains("DeletedOrphan") && events.contains("lost"), "{events}");
        fleet.close().await;
    });
}
