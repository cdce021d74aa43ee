//! Nodes whose pods have disks of the cloud: kube-controller-manager attaches and detaches, the test plays the driver's attacher.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Node, Pod, ServiceAccount};
use k8s_openapi::api::storage::v1::VolumeAttachment;
use kube::Api;
use kube::api::ListParams;
use millwright_simcloud::CreateDisk;

use crate::attacher::{Attacher, Deed, VmThen};
use crate::fleet::Fleet;
use crate::runtime::run;
use crate::volume_manifests::{stateful_set, volume};

const PODS: usize = 3;
const ONE_BY_ONE: [&str; 1] = ["--machine-max-parallel-volume-evictions=1"];

#[test]
fn a_node_with_volumes_is_drained_volume_by_volume_before_its_vm_is_deleted() {
    run(async {
        let fleet = Fleet::start("volumes", &ONE_BY_ONE).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        let attacher = occupy(&fleet).await;
        let begin = attacher.deeds().len();
        // There must be a place to go to.
        fleet.scale(2).await;
        fleet.settled(2).await;

        fleet.kubectl_must(&["delete", "machine", &machine, "--wait=false"]).await;
        fleet
            .until("the machine is gone", async |fleet| {
                (!fleet.history.now().contains_key(&machine)).then_some(())
            })
            .await;
        assert!(attachments(&fleet, &machine).await.is_empty(), "attachments of a node that is gone");
        // The last volume may still be on its way to where it is wanted.
        let deeds = fleet
            .until("each volume is attached elsewhere", async |_| {
                let deeds = attacher.deeds().split_off(begin);
                (deeds.len() >= 2 * PODS).then_some(deeds)
            })
            .await;
        let mut moved = BTreeSet::new();
        for pair in deeds.chunks(2) {
            let [Deed::Detached { volume, node, vm }, Deed::Attached { volume: same, node: other }] = pair
            else {
                panic!("not one after the other: {deeds:#?}");
            };
            assert_eq!((volume, node, *vm), (same, &machine, VmThen::There), "{deeds:#?}");
            assert_ne!(other, &machine);
            moved.insert(volume.clone());
        }
        assert_eq!(moved.len(), PODS, "{deeds:#?}");
        running(&fleet).await;
        fleet.settled(2).await;
        leave(&fleet).await;
        fleet.close().await;
    });
}

#[test]
fn a_forced_deletion_lets_every_volume_of_the_node_go() {
    run(async {
        let fleet = Fleet::start("unplugged", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        let _attacher = occupy(&fleet).await;
        fleet.kubectl_must(&["label", "machine", &machine, "force-deletion=True"]).await;
        fleet.kubectl_must(&["delete", "machine", &machine, "--timeout=80s"]).await;
        // The driver may take longer than the VM lives; but nobody keeps an attachment to a node that is gone.
        for attachment in attachments(&fleet, &machine).await {
            assert!(attachment.metadata.deletion_timestamp.is_some(), "{attachment:#?}");
        }
        fleet
            .until("no attachment is left", async |fleet| {
                attachments(fleet, &machine).await.is_empty().then_some(())
            })
            .await;
        // The pods come again, and so do their volumes.
        fleet.settled(1).await;
        running(&fleet).await;
        leave(&fleet).await;
        fleet.close().await;
    });
}

/// Puts pods with a disk each on the fleet's nodes, and waits until they are attached.
async fn occupy(fleet: &Fleet) -> Attacher {
    let client = &fleet.house.client;
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), &fleet.namespace);
    fleet.until("pods can be made", async |_| accounts.get_opt("default").await.ok()?.map(drop)).await;
    let mut disks = BTreeMap::new();
    for number in 0..PODS {
        let name = format!("{}-{number}", fleet.namespace);
        let zone = "local-a".to_owned();
        let request = CreateDisk { name: name.clone(), zone, size_gib: 1, tags: BTreeMap::new() };
        let disk = fleet.cloud().create_disk(request).unwrap();
        fleet.apply(&volume(&name, &disk.id, &fleet.namespace, &format!("data-db-{number}"))).await;
        disks.insert(name, disk.id);
    }
    let attacher = Attacher::play(client, fleet.cloud(), disks);
    fleet.apply(&stateful_set("db", PODS, &fleet.namespace)).await;
    running(fleet).await;
    attacher
}

/// Waits until each pod runs where its disk is.
async fn running(fleet: &Fleet) {
    let client = &fleet.house.client;
    let (pods, nodes) =
        (Api::<Pod>::namespaced(client.clone(), &fleet.namespace), Api::<Node>::all(client.clone()));
    fleet
        .until("pods with disks run", async |_| {
            let mut places = BTreeMap::<String, usize>::new();
            for pod in pods.list(&ListParams::default()).await.ok()? {
                let is_running = pod.status?.phase? == "Running" && pod.metadata.deletion_timestamp.is_none();
                *places.entry(pod.spec?.node_name?).or_default() += usize::from(is_running);
            }
            for (name, count) in &places {
                let attached = nodes.get(name).await.ok()?.status?.volumes_attached.unwrap_or_default();
                if attached.len() < *count {
                    return None;
                }
            }
            (places.values().sum::<usize>() == PODS).then_some(())
        })
        .await;
}

async fn attachments(fleet: &Fleet, node: &str) -> Vec<VolumeAttachment> {
    let api: Api<VolumeAttachment> = Api::all(fleet.house.client.clone());
    let list = api.list(&ListParams::default()).await.unwrap();
    list.into_iter().filter(|attachment| attachment.spec.node_name == node).collect()
}

/// Takes away what lies outside of the namespace.
async fn leave(fleet: &Fleet) {
    fleet.kubectl_must(&["delete", "statefulset", "db", "--timeout=80s"]).await;
    fleet.kubectl_must(&["delete", "persistentvolumeclaim", "--all", "--timeout=80s"]).await;
    for number in 0..PODS {
        let name = format!("{}-{number}", fleet.namespace);
        fleet.kubectl_must(&["delete", "persistentvolume", &name, "--timeout=80s"]).await;
    }
}
