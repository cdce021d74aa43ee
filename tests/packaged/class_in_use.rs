//! A class that machines need is not deleted by mistake.

use std::process::Command;

use kube::Api;
use millwright_api::MachineClass;
use millwright_testbed::kubectl::Said;
use tokio::net::TcpStream;

use crate::fleet::{Fleet, Webhook};
use crate::house::own_house;
use crate::runtime::run;

fn classes(fleet: &Fleet) -> Api<MachineClass> {
    Api::namespaced(fleet.house.client.clone(), &fleet.namespace)
}

/// Whether there is such a class, and whether it is on its way out.
async fn is_going(fleet: &Fleet, name: &str) -> Option<bool> {
    let class = classes(fleet).get_opt(name).await.unwrap()?;
    Some(class.metadata.deletion_timestamp.is_some())
}

async fn delete(fleet: &Fleet) -> Said {
    fleet.kubectl(&["delete", "machineclass", "v1", "--wait=false"]).await
}

#[test]
fn deleting_a_class_in_use_is_refused_with_who_uses_it_until_all_of_them_go() {
    run(async {
        let fleet = Fleet::start("used", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        // The watch may tell of the machine a moment later than it is asked.
        let said = fleet
            .until("the deletion is refused for the machine", async |fleet| {
                let said = fleet.kubectl(&["delete", "machineclass", "v1", "--dry-run=server"]).await;
                said.stderr.contains(&machine).then_some(said)
            })
            .await;
        assert!(!said.status.success() && said.stderr.contains(&fleet.namespace), "{}", said.stderr);
        let said = delete(&fleet).await;
        assert!(!said.status.success(), "{}", said.stdout);
        assert_eq!(is_going(&fleet, "v1").await, Some(false));
        fleet.kubectl_must(&["delete", "machinedeployment", &fleet.namespace, "--wait=false"]).await;
        fleet
            .until("the class may go with the last who uses it", async |fleet| {
                let said = delete(fleet).await;
                said.status.success().then_some(())
            })
            .await;
        fleet
            .until("the class is gone", async |fleet| is_going(fleet, "v1").await.is_none().then_some(()))
            .await;
        fleet.close().await;
    });
}

#[test]
fn a_webhook_that_is_down_holds_up_no_deletion_and_the_finalizer_keeps_the_class() {
    run(async {
        let house = own_house().await;
        let mut fleet = Fleet::within(house, "down", Webhook::Asked).await;
        fleet.apply(&fleet.class("v1")).await;
        fleet.start_controller(&[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        let webhook = fleet.house.webhook.process.pid().to_string();
        assert!(Command::new("kill").args(["-9", &webhook]).status().unwrap().success());
        let port = fleet.house.webhook.metrics_port;
        fleet
            .until("the webhook is gone", async |_| {
                TcpStream::connect(("127.0.0.1", port)).await.is_err().then_some(())
            })
            .await;
        let said = delete(&fleet).await;
        assert!(said.status.success(), "{}", said.stderr);
        assert_eq!(is_going(&fleet, "v1").await, Some(true), "its finalizer keeps it");
        fleet.close().await;
    });
}
