//! Classes that can't work, made before there was a webhook: the machine says what is wrong and what to do, and goes on once it is done.

use millwright_simcloud::{Config, SimCloud};
use serde_json::{Value, json};

use crate::fleet::{Fleet, Webhook};
use crate::runtime::run;

/// One machine waits with these words, and runs once `mend` was applied.
async fn waits_and_goes_on(
    prefix: &str,
    bad: impl Fn(&Fleet) -> Vec<Value>,
    says: &[&str],
    mend: impl Fn(&Fleet) -> Value,
) {
    let mut fleet = Fleet::without_controller(prefix, Webhook::NotThereYet).await;
    for object in bad(&fleet) {
        fleet.apply(&object).await;
    }
    fleet.start_controller(&[]).await;
    fleet.apply(&fleet.deployment("v1", 1)).await;
    let machine = fleet.told(says).await;
    let phase = machine.status.current_status.phase.as_str();
    assert_eq!(phase, "CrashLoopBackOff");
    assert!(fleet.cloud().vms().is_empty());
    fleet.apply(&mend(&fleet)).await;
    fleet.settled(1).await;
    assert!(
        fleet.history.now().contains_key(machine.metadata.name.as_ref().unwrap()),
        "it was replaced, not mended"
    );
    fleet.close().await;
}

fn of_provider(fleet: &Fleet, provider: &str) -> Value {
    let mut class = fleet.class("v1");
    class["provider"] = json!(provider);
    class
}

#[test]
fn an_unknown_provider_is_named_with_those_there_are() {
    run(waits_and_goes_on(
        "provider",
        |fleet| vec![of_provider(fleet, "clout")],
        &["MachineClass \"v1\"", "\"clout\"", "local", "correct the field provider"],
        |fleet| of_provider(fleet, "local"),
    ));
}

#[test]
fn a_missing_class_is_named_with_where_it_is_wanted() {
    run(waits_and_goes_on(
        "noclass",
        |_| vec![],
        &["MachineClass \"v1\"", "spec.class", "does not exist", "Create it"],
        |fleet| fleet.class("v1"),
    ));
}

#[test]
fn a_missing_secret_is_named_with_the_field_that_names_it() {
    run(waits_and_goes_on(
        "nosecret",
        |fleet| {
            let mut class = fleet.class("v1");
            class["secretRef"]["name"] = json!("lost");
            vec![class]
        },
        &["lost\"", "secretRef of MachineClass \"v1\"", "does not exist", "create it"],
        |fleet| fleet.class("v1"),
    ));
}

#[test]
fn a_secret_without_its_keys_is_named_with_the_keys() {
    run(waits_and_goes_on(
        "nokeys",
        |fleet| {
            let mut class = fleet.class("v1");
            class["secretRef"]["name"] = json!("empty");
            let empty = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "empty" } });
            vec![empty, class]
        },
        &[
            "the Secret of MachineClass \"v1\"",
            "token: ",
            "userData: ",
            "It must have the keys token, userData",
        ],
        |fleet| fleet.class("v1"),
    ));
}

#[test]
fn a_secret_that_is_mended_in_place_is_seen_at_the_next_try() {
    let empty = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "late" } });
    run(waits_and_goes_on(
        "mended",
        |fleet| {
            let mut class = fleet.class("v1");
            class["secretRef"]["name"] = json!("late");
            vec![empty.clone(), class]
        },
        &["It must have the keys token, userData"],
        |fleet| {
            let mut mended = fleet.secret();
            mended["metadata"]["name"] = json!("late");
            mended
        },
    ));
}

#[test]
fn a_secret_without_user_data_never_keeps_a_machine_from_being_deleted() {
    run(async {
        let mut fleet = Fleet::start("nodata", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        fleet.settled(1).await;
        let without = r#"[{"op": "remove", "path": "/data/userData"}]"#;
        fleet.kubectl_must(&["patch", "secret", "cloud", "--type=json", "--patch", without]).await;
        // One that has never read the Secret as it was.
        fleet.kill_controller();
        fleet.start_controller(&["--leader-elect=false"]).await;
        fleet.scale(2).await;
        fleet.told(&["It must have the keys token, userData"]).await;
        fleet.scale(0).await;
        fleet.settled(0).await;
        fleet.close().await;
    });
}

#[test]
fn an_unreachable_cloud_is_named_with_the_field_that_leads_there() {
    run(async {
        let mut fleet = Fleet::without_controller("nocloud", Webhook::Asked).await;
        let gone = SimCloud::start(Config::new("unused")).await.unwrap();
        let mut class = fleet.class("v1");
        class["providerSpec"]["endpoint"] = json!(gone.url());
        gone.stop().await;
        fleet.apply(&class).await;
        fleet.start_controller(&[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let endpoint = class["providerSpec"]["endpoint"].as_str().unwrap();
        fleet.told(&["no answer from", endpoint, "is providerSpec.endpoint right?"]).await;
        fleet.apply(&fleet.class("v1")).await;
        fleet.settled(1).await;
        fleet.close().await;
    });
}
