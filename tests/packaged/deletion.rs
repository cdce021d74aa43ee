//! What is deleted goes in order, and nothing is forgotten.

use k8s_openapi::api::core::v1::Node;
use kube::Api;
use millwright_api::MachineClass;

use crate::fleet::{Fleet, Webhook};
use crate::kube_names::FINALIZER;
use crate::runtime::run;

#[test]
fn a_deleted_deployment_takes_machines_vms_disks_and_nodes_with_it() {
    run(async {
        let fleet = Fleet::start("delete", &[]).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        let machines = fleet.settled(2).await;
        // kubectl waits for the finalizers.
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--timeout=80s"]).await;
        fleet.settled(0).await;
        let nodes: Api<Node> = Api::all(fleet.house.client.clone());
        for machine in machines {
            assert!(nodes.get_opt(&machine).await.unwrap().is_none(), "node {machine} is left");
        }
        assert!(fleet.cloud().nics().is_empty() && fleet.cloud().disks().is_empty());
        // That no VM outlived its machine is looked at when the fleet closes.
        fleet.close().await;
    });
}

#[test]
fn a_class_stays_while_machines_use_it() {
    run(async {
        // The webhook would refuse the deletion.
        let mut fleet = Fleet::without_controller("class", Webhook::NotThereYet).await;
        fleet.apply(&fleet.class("v1")).await;
        fleet.start_controller(&[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        let classes: Api<MachineClass> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
        fleet.kubectl_must(&["delete", "machineclass", "v1", "--wait=false"]).await;
        // A second machine makes sure that the controller has worked since; it is told why there is no VM for it.
        fleet.scale(2).await;
        fleet.told(&["MachineClass \"v1\" is being deleted"]).await;
        let class = classes.get("v1").await.unwrap();
        assert!(class.metadata.deletion_timestamp.is_some());
        assert_eq!(class.metadata.finalizers, Some(vec![FINALIZER.to_owned()]));
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--timeout=80s"]).await;
        fleet
            .until("the class is gone", async |_| classes.get_opt("v1").await.ok()?.is_none().then_some(()))
            .await;
        fleet.settled(0).await;
        fleet.close().await;
    });
}
