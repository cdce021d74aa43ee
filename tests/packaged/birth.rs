//! From a MachineDeployment to nodes.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Secret};
use kube::api::ListParams;
use kube::{Api, ResourceExt as _};
use millwright_simcloud::{BootMode, Phase};
use millwright_testbed::Identity;
use serde_json::json;

use crate::audit::requests_of;
use crate::election::SHORT_LEASE;
use crate::fleet::Fleet;
use crate::kube_names::{KUBE_SYSTEM, MACHINE_UID_LABEL};
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
        let secrets: Api<Secret> = Api::namespaced(fleet.house.client.clone(), KUBE_SYSTEM);
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
fn a_bootstrap_token_that_would_end_too_soon_is_renewed_by_a_controller_that_did_not_issue_it() {
    run(async {
        let mut fleet = Fleet::start("renew", &SHORT_LEASE).await;
        let mut slow = fleet.class("slow");
        slow["providerSpec"]["boot"] = json!({ "mode": "never" });
        fleet.apply(&slow).await;
        fleet.apply(&fleet.deployment("slow", 1)).await;
        let machine = fleet
            .until("a machine waits for its node", async |fleet| {
                let now = fleet.history.now();
                now.into_values().find(|machine| machine.status.current_status.phase.as_str() == "Pending")
            })
            .await;
        let uid = machine.uid().unwrap();
        let token = token_of(&fleet, &uid).await.unwrap();
        fleet.kill_controller();

        // Long enough for the new controller to find it, far less than the machine may take to join.
        let end: Timestamp = text(&token, "expiration").parse().unwrap();
        let soon = end.checked_sub(Duration::from_secs(15 * 60)).unwrap();
        let soon = soon.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let patch = json!({ "stringData": { "expiration": soon } }).to_string();
        let name = token.name_any();
        let kube_system = ["--namespace", KUBE_SYSTEM, "patch", "secret", &name, "-p", &patch];
        fleet.house.kubectl_must(&kube_system).await;
        fleet.start_controller(&SHORT_LEASE).await;
        let renewed = fleet
            .until("its token lives longer", async |fleet| {
                let token = token_of(fleet, &uid).await?;
                (text(&token, "expiration") > soon).then_some(token)
            })
            .await;
        assert_eq!(
            text(&renewed, "token-secret"),
            text(&token, "token-secret"),
            "the VM holds the first one"
        );
        let requests = requests_of(&fleet.house, Identity::Controller);
        assert!(requests.iter().any(|r| r.verb == "update" && r.name == name && r.code == 200));
        fleet.scale(0).await;
        fleet.settled(0).await;
        fleet.close().await;
    });
}

/// The bootstrap token of the machine with this UID.
async fn token_of(fleet: &Fleet, uid: &str) -> Option<Secret> {
    let secrets: Api<Secret> = Api::namespaced(fleet.house.client.clone(), KUBE_SYSTEM);
    let its = ListParams::default().labels(&format!("{MACHINE_UID_LABEL}={uid}"));
    secrets.list(&its).await.ok()?.into_iter().next()
}

fn text(secret: &Secret, key: &str) -> String {
    let bytes = &secret.data.as_ref().unwrap()[key].0;
    String::from_utf8(bytes.clone()).unwrap()
}
