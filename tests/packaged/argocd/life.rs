//! The health scripts and actions on the objects of a real life, as Argo CD would show them.

use millwright_simcloud::{Code, Effect, Fault, Operation};
use serde_json::{Value, json};

use super::engine::{Health, Judgement, act, actions, health};
use crate::fleet::{Fleet, Webhook, items};
use crate::runtime::run;

async fn of(fleet: &Fleet, kind: &str, name: &str) -> Judgement {
    health(&fleet.get(&[kind, name]).await.unwrap()).await
}

/// Waits until the deployment has this health, and returns its text.
async fn becomes(fleet: &Fleet, status: &str) -> String {
    fleet
        .until(&format!("the deployment is {status}"), async |fleet| {
            let found = of(fleet, "machinedeployment", &fleet.namespace).await;
            (found.shown.status == status).then_some(found.shown.message)
        })
        .await
}

/// Chooses an action on the deployment as a user of Argo CD does.
async fn choose(fleet: &Fleet, action: &str) {
    let deployment = fleet.get(&["machinedeployment", &fleet.namespace]).await.unwrap();
    assert!(actions(&deployment).await.iter().any(|offered| offered == action), "{action} is not offered");
    fleet.patch(&act(action, &deployment).await).await;
}

/// Waits until each object of the fleet is: a status follows that of what is below.
async fn all_healthy(fleet: &Fleet) {
    fleet
        .until("all is healthy", async |fleet| {
            for object in items(fleet.get(&["machineclass,machine,machineset,machinedeployment"]).await) {
                let found = health(&object).await;
                assert_eq!(found.script, found.shown);
                if found.shown.status != "Healthy" {
                    return None;
                }
            }
            Some(())
        })
        .await;
}

#[test]
fn a_life_is_shown_as_it_is_from_its_beginning_to_its_end() {
    run(async {
        let mut fleet = Fleet::without_controller("argo-life", Webhook::Asked).await;
        fleet.apply(&fleet.class("v1")).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        let name = fleet.namespace.clone();
        let nobody = of(&fleet, "machinedeployment", &name).await;
        assert_eq!(nobody.shown, progressing("Waiting for the controller to look at generation 1"));
        let slow = fleet.cloud().arm(Fault::always(Operation::CreateVm, Effect::Latency { seconds: 15.0 }));
        slow.unwrap();
        fleet.start_controller(&[]).await;
        let waits = "machines: 2 wanted, 2 there, 2 of the newest template, 0 available";
        fleet
            .until("the deployment waits for its machines", async |fleet| {
                let found = of(fleet, "machinedeployment", &fleet.namespace).await;
                (found.shown == progressing(waits)).then_some(())
            })
            .await;
        fleet.cloud().disarm();
        let old = fleet.settled(2).await;
        all_healthy(&fleet).await;

        choose(&fleet, "pause").await;
        assert_eq!(becomes(&fleet, "Suspended").await, "MachineDeployment is paused: no rollout goes on");
        choose(&fleet, "resume").await;
        becomes(&fleet, "Healthy").await;
        choose(&fleet, "restart").await;
        fleet
            .until("no old machine is left", async |fleet| {
                let now = fleet.history.now();
                old.iter().all(|machine| !now.contains_key(machine)).then_some(())
            })
            .await;
        fleet.settled(2).await;
        becomes(&fleet, "Healthy").await;
        all_healthy(&fleet).await;

        is_deleted(&fleet).await;
        fleet.close().await;
    });
}

/// The class that is still used, and what goes before it.
async fn is_deleted(fleet: &Fleet) {
    let refusal = Effect::Error { code: Code::Unavailable, message: None };
    fleet.cloud().arm(Fault::always(Operation::DeleteVm, refusal)).unwrap();
    fleet.kubectl_must(&["delete", "--wait=false", "machinedeployment", &fleet.namespace]).await;
    fleet
        .until("all machines are shown as they go", async |fleet| {
            let machines = items(fleet.get(&["machine"]).await);
            assert_eq!(machines.len(), 2, "the cloud refuses to delete them");
            for machine in machines {
                if health(&machine).await.shown != progressing("Pending deletion") {
                    return None;
                }
            }
            Some(())
        })
        .await;
    // Whether who uses it is being deleted too, is told to the webhook by a watch.
    fleet
        .until("the class may be deleted", async |fleet| {
            let said = fleet.kubectl(&["delete", "--wait=false", "machineclass", "v1"]).await;
            said.status.success().then_some(())
        })
        .await;
    let class = of(fleet, "machineclass", "v1").await;
    // The engine has its own words; ours are for who asks the script, as Argo CD's coming versions do.
    assert_eq!(class.shown, progressing("Pending deletion"));
    assert_eq!(class.script.status, "Progressing");
    let holder = "blocked by finalizers: machine.sapcloud.io/machine-controller-manager";
    assert!(class.script.message.contains(holder), "{class:?}");
    fleet.cloud().disarm();
    fleet
        .until("class and deployment are gone", async |fleet| {
            let left = items(fleet.get(&["machineclass,machinedeployment,machine"]).await);
            left.is_empty().then_some(())
        })
        .await;
}

#[test]
fn a_class_that_fails_and_a_set_that_is_frozen_are_degraded() {
    run(async {
        let fleet = Fleet::start("argo-bad", &[]).await;
        let image = "no-such-image";
        let mut class = fleet.class("v1");
        class["providerSpec"]["image"] = json!(image);
        fleet.apply(&class).await;
        fleet.apply(&fleet.deployment("v1", 4)).await;
        let text = becomes(&fleet, "Degraded").await;
        assert!(text.contains("machines failed: ") && text.contains(image), "{text}");
        for kind in ["machineset", "machine"] {
            let all = items(fleet.get(&[kind]).await);
            let degraded = worst(&all, "Degraded").await;
            assert!(degraded.is_some_and(|text| text.contains(image)), "{kind}");
        }
        fleet.apply(&fleet.class("v1")).await;
        fleet.settled(4).await;
        becomes(&fleet, "Healthy").await;

        fleet.kubectl_must(&["label", "machinedeployment", &fleet.namespace, "freeze=True"]).await;
        assert!(becomes(&fleet, "Suspended").await.contains("by hand"));
        fleet.kubectl_must(&["label", "machinedeployment", &fleet.namespace, "freeze-"]).await;
        becomes(&fleet, "Healthy").await;

        // Machines that can't go are too many machines.
        let refusal = Effect::Error { code: Code::Unavailable, message: None };
        fleet.cloud().arm(Fault::always(Operation::DeleteVm, refusal)).unwrap();
        fleet.scale(0).await;
        fleet
            .until("the freeze is shown", async |fleet| {
                let found = of(fleet, "machinedeployment", &fleet.namespace).await.shown;
                (found.status == "Degraded" && found.message.starts_with("Frozen: ")).then_some(())
            })
            .await;
        let sets = items(fleet.get(&["machineset"]).await);
        let frozen = worst(&sets, "Degraded").await.unwrap();
        assert!(frozen.contains("Max-ScaleUp-Limit"), "{frozen}");
        fleet.cloud().disarm();
        fleet.settled(0).await;
        becomes(&fleet, "Healthy").await;
        fleet.close().await;
    });
}

/// The text of the first of these objects that has this health.
async fn worst(objects: &[Value], status: &str) -> Option<String> {
    for object in objects {
        let found = health(object).await.shown;
        if found.status == status {
            return Some(found.message);
        }
    }
    None
}

fn progressing(message: &str) -> Health {
    Health { status: "Progressing".to_owned(), message: message.to_owned() }
}
