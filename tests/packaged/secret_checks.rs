//! With the rights of config/components/secret-checks the webhook says what a class's Secret lacks, and keeps no value of it.

use serde_json::{Value, json};

use crate::house::write;
use crate::manifests;
use crate::patience::until;
use crate::rotation::stage::Stage;
use crate::runtime::run;

/// Where it would show in a log.
const TOKEN: &str = "token-that-nobody-may-repeat";

async fn apply(stage: &Stage, name: &str, object: &Value) -> String {
    let file = stage.house.folder(&stage.namespace).join(name);
    write(&file, object);
    let said = stage
        .house
        .kubectl(&["--namespace", &stage.namespace, "apply", "-f", &file.display().to_string()])
        .await;
    said.stdout + &said.stderr
}

#[test]
fn a_class_whose_secret_lacks_a_key_is_refused_and_one_without_a_secret_yet_is_told_so() {
    run(async {
        let stage = Stage::with("keys", &["secret-checks"]).await;
        let namespace = format!("--namespace={}", stage.namespace);
        let replica = stage.start(&["--facts=watched", &namespace, "--secret-checks=on"]).await;
        stage.balancer.add(replica.port);
        stage.is_asked().await;
        let class = manifests::class("v1", "any", "http://127.0.0.1:1");

        let said = until("the webhook knows that there is no Secret", async || {
            let said = apply(&stage, "class.json", &class).await;
            said.contains("there is no Secret \"cloud\" yet").then_some(said)
        })
        .await;
        assert!(said.contains("machineclass.machine.sapcloud.io/v1 "), "{said}");

        let mut secret = manifests::secret(TOKEN, "none");
        let user_data = secret["stringData"]["userData"].take();
        secret["stringData"] = json!({ "token": TOKEN, "UserData": user_data });
        apply(&stage, "secret.json", &secret).await;
        let mut other = class.clone();
        other["metadata"]["name"] = json!("v2");
        let said = until("the webhook knows the keys of the Secret", async || {
            let said = apply(&stage, "other.json", &other).await;
            said.contains("[secret-keys]").then_some(said)
        })
        .await;
        assert!(
            said.contains("secretRef: ") && said.contains("no key userData") && said.contains("\"UserData\""),
            "{said}"
        );

        apply(&stage, "secret.json", &manifests::secret(TOKEN, "none")).await;
        until("the class is taken with its Secret", async || {
            let said = apply(&stage, "other.json", &other).await;
            said.contains("machineclass.machine.sapcloud.io/v2 created").then_some(())
        })
        .await;
        let log = std::fs::read_to_string(replica.process.log()).unwrap();
        assert!(!log.contains(TOKEN), "a value was told: {log}");
        stage.strike(vec![replica]).await;
    });
}
