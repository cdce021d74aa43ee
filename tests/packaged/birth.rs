//! From a MachineDeployment to nodes.

use k8s_openapi::api::core::v1::{Node, Secret};
use kube::api::ListParams;
use kube::{Api, ResourceExt as _};
use millwright_simcloud::{BootMode, Code, Effect, Fault, Operation, Phase};
use serde_json::json;

use crate::audit::controller_requests;
use crate::fleet::Fleet;
use crate::runtime::run;

#[test]
fn a_machine_deployment_becomes_nodes_that_joined_with_certificates_of_their_own() {
    run(async {
        let fleet = Fleet::start("birth", &[]).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        let machines = fleet.settled(2).await;
        let nodes: Api<Node> = Api::all(fleet.house.client.clone());
        for name in &machines {
            let machine = fleet.history.now().remove(name).unwrap();
            let node = nodes.get(name).await.unwrap();
            assert_eq!(machine.metadata.labels.as_ref().unwrap()["node"], *name);
            assert_eq!(node.spec.as_ref().unwrap().provider_id.as_ref(), Some(&machine.spec.provider_id));
            assert_eq!(node.labels()["node.kubernetes.io/pool"], fleet.namespace);
            let vm = fleet.vm(name).unwrap();
            assert_eq!((vm.boot.mode, vm.phase), (BootMode::Kubelet, Phase::Joined));
            assert!(fleet.house.secrets.had_token(name), "{name} joined without a bootstrap token");
            let phases = fleet.history.phases(name);
            assert!(phases.ends_with(&["Pending".to_owned(), "Running".to_owned()]), "{phases:?}");
        }
        fleet.close().await;
    });
}

#[test]
fn a_bootstrap_token_is_deleted_once_its_machine_has_joined() {
    run(async {
        let fleet = Fleet::start("token", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        assert!(fleet.house.secrets.had_token(&machine));
        let secrets: Api<Secret> = Api::namespaced(fleet.house.client.clone(), "kube-system");
        let tokens = ListParams::default().fields("type=bootstrap.kubernetes.io/token");
        fleet
            .until("its bootstrap token is gone", async |_| {
                let list = secrets.list(&tokens).await.ok()?;
                let is_its = |secret: &Secret| {
                    let description = secret.data.as_ref().and_then(|data| data.get("description"));
                    description.is_some_and(|text| String::from_utf8_lossy(&text.0).contains(&machine))
                };
                (!list.iter().any(is_its)).then_some(())
            })
            .await;
        fleet.close().await;
    });
}

#[test]
fn a_bootstrap_token_is_renewed_while_the_cloud_keeps_its_machine_waiting() {
    run(async {
        let fleet = Fleet::start("renew", &[]).await;
        let busy = Effect::Error { code: Code::Unavailable, message: None };
        fleet.cloud().arm(Fault::always(Operation::CreateVm, busy)).unwrap();
        let mut deployment = fleet.deployment("v1", 1);
        // A token lives as long, and is renewed when half of it is over.
        deployment["spec"]["template"]["spec"]["creationTimeout"] = json!("20s");
        fleet.apply(&deployment).await;
        let renewal = fleet
            .until("a token is renewed", async |fleet| {
                let requests = controller_requests(&fleet.house).into_iter();
                let mut renewals = requests
                    .filter(|r| r.resource == "secrets" && matches!(r.verb.as_str(), "update" | "patch"));
                renewals.next()
            })
            .await;
        assert_eq!(renewal.code, 200, "{renewal:?}");
        fleet.cloud().disarm();
        fleet.settled(1).await;
        fleet.close().await;
    });
}
