//! `kubectl millwright lint` beside the API server with the webhook: the same fields are refused, and the same YAML is read.

mod plugin;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::house::{House, house};
use crate::lint::plugin::Plugin;
use crate::runtime::run;

const SAMPLES: &str = "config/samples/invalid";

/// A deployment that nothing is wrong with.
const GOOD: &str = "\
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineDeployment
metadata:
  name: linted
  namespace: default
spec:
  replicas: 0
  selector:
    matchLabels: {name: linted}
  template:
    metadata:
      labels: {name: linted}
    spec:
      class: {kind: MachineClass, name: none}
";

/// Fields that a message of kubectl names, one for each bullet.
fn bullets(message: &str) -> BTreeSet<String> {
    let bullets = message.lines().filter_map(|line| line.trim_start().strip_prefix("* "));
    bullets.filter_map(|line| line.split(": ").next()).map(str::to_owned).collect()
}

/// Fields with errors in what lint prints as JSON.
fn fields(findings: &Value) -> BTreeSet<String> {
    let errors = findings.as_array().unwrap().iter().filter(|finding| finding["severity"] == "error");
    errors.map(|finding| finding["field"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn kubectl_finds_the_plugin_and_hands_on_its_exit_codes() {
    run(async {
        let plugin = Plugin::new(house().await, "lint-plugin");
        let bad = plugin.call(&["lint", SAMPLES]).await;
        assert_eq!(bad.status.code(), Some(1), "{}", bad.stderr);
        assert!(bad.stdout.contains("machinedeployment.yaml:8:3: error: "), "{}", bad.stdout);
        let good = plugin.call(&["lint", &plugin.file("good.yaml", GOOD)]).await;
        assert_eq!(
            (good.status.code(), good.stdout.as_str()),
            (Some(0), "no mistakes (1 object in 1 file)\n")
        );
        assert_eq!(plugin.call(&["lint", "gone.yaml"]).await.status.code(), Some(2));
        assert!(plugin.call(&["version"]).await.stdout.starts_with("kubectl-millwright "));
        assert!(plugin.call(&["rules", "duration"]).await.stdout.starts_with("duration (error"));
    });
}

#[test]
fn lint_and_the_api_server_refuse_the_same_fields_of_the_invalid_samples() {
    run(async {
        let house = house().await;
        let plugin = Plugin::new(house, "lint-samples");
        for entry in std::fs::read_dir(millwright_testbed::root().join(SAMPLES)).unwrap() {
            let file = entry.unwrap().path().display().to_string();
            let refused = house.kubectl(&["apply", "--dry-run=server", "-f", &file]).await;
            assert!(!refused.status.success(), "{file}");
            let found = plugin.findings(&file).await;
            assert_eq!(fields(&found), bullets(&refused.stderr), "{file}:\n{}", refused.stderr);
        }
    });
}

#[test]
fn lint_and_the_api_server_agree_on_what_the_crds_say() {
    run(async {
        let house = house().await;
        let plugin = Plugin::new(house, "lint-schema");
        agree(house, &plugin, "", "", None).await;
        for (line, other, field) in [
            ("  replicas: 0", "  replica: 0", "spec.replica"),
            ("  name: linted\n", "  name: linted\n  lables: {}\n", "metadata.lables"),
            ("      class: {", "      class: {nmae: a, ", "spec.template.spec.class.nmae"),
            ("  replicas: 0", "  replicas: 0\n  pasued: true", "spec.pasued"),
            ("  replicas: 0", "  replicas: 0\n  minReadySeconds: x", "spec.minReadySeconds"),
            ("  replicas: 0", "  replicas: 99999999999", "spec.replicas"),
            ("  replicas: 0", "  replicas: 0\n  revisionHistoryLimit: 3.5", "spec.revisionHistoryLimit"),
            (
                "    spec:\n",
                "    spec:\n      nodeTemplate: {spec: {podCIDRs: [null]}}\n",
                "spec.template.spec.nodeTemplate.spec.podCIDRs[0]",
            ),
        ] {
            agree(house, &plugin, line, other, Some(field)).await;
        }
        // Words that look wrong and are right.
        for (line, other) in [
            ("  replicas: 0", "  replicas: 0.0"),
            ("  replicas: 0", "  replicas: 0\n  strategy:\n  paused:\n  rollbackTo: ~\n  nothing:"),
            ("    spec:\n", "    spec:\n      nodeTemplate:\n"),
            ("  replicas: 0", "  replicas: 0o0\n  paused: off"),
            ("  name: linted\n", "  name: linted\n  creationTimestamp: null\n  labels: null\n"),
            ("      labels: {name: linted}", "      labels: {name: linted}\n      creationTimestamp: null"),
        ] {
            agree(house, &plugin, line, other, None).await;
        }
    });
}

/// Both refuse the good deployment with one line exchanged for that field, or neither refuses it.
async fn agree(house: &House, plugin: &Plugin<'_>, line: &str, other: &str, field: Option<&str>) {
    assert!(GOOD.contains(line), "{line}");
    let text = GOOD.replacen(line, other, 1);
    let file = plugin.file("changed.yaml", &text);
    let found = fields(&plugin.findings(&file).await);
    assert_eq!(
        found.iter().map(String::as_str).collect::<Vec<_>>(),
        field.into_iter().collect::<Vec<_>>(),
        "{text}"
    );
    let said = house.kubectl(&["apply", "--dry-run=server", "-f", &file]).await;
    assert_eq!(said.status.success(), field.is_none(), "{text}\n{}{}", said.stdout, said.stderr);
    if let Some(field) = field {
        assert!(said.stderr.contains(field), "{field} is not in:\n{}", said.stderr);
    }
}

#[test]
fn words_of_yaml_mean_to_lint_what_they_mean_to_kubectl() {
    const WORDS: &[&str] = &[
        "yes",
        "On",
        "y",
        "N",
        "nO",
        "off",
        "012",
        "0o12",
        "08",
        "0x1F",
        "0b101",
        "-0b101",
        "0b2",
        "0x",
        "0o9",
        "0O17",
        "1_000",
        "0_1",
        "_1",
        "-_1",
        "1_",
        "+3",
        "+-3",
        "-0",
        "3.0",
        "1e3",
        "1E3",
        "1e+2",
        "1e",
        "1e400",
        ".5",
        "+.5",
        "-.5",
        ".",
        "1.",
        "1.2.3",
        "12:30",
        "2001-01-01",
        "2001-1-1T1:1:1Z",
        "25%",
        "-017",
        "+0x10",
        "0x_1F",
        "=",
        "!!str 12",
        "!!int \"12\"",
        "!!float 3",
        "!!bool \"yes\"",
        "!foo x",
        "\"yes\"",
        "'12'",
        "-9223372036854775808",
        "1e18",
        "123456789.0",
        "\"\\x41\"",
    ];
    run(async {
        let house = house().await;
        let plugin = Plugin::new(house, "lint-words");
        let mut text =
            GOOD.replace("    metadata:\n", "    metadata:\n      annotations:\n        before: \"\"\n");
        let lines: String =
            (0..).zip(WORDS).map(|(index, word)| format!("        w{index}: {word}\n")).collect();
        text = text.replace("        before: \"\"\n", &lines);
        let merges = "        merged: {p: 9, <<: {p: 1, q: 2}}\n        listed: {<<: [{q: 1}, {q: 2, r: 3}], p: 4}\n        keys: {1: a, true: b, on: c, 0x10: d}\n";
        text = text.replace("        w0: ", &format!("{merges}        w0: "));
        let file = plugin.file("words.yaml", &text);
        let read = house.kubectl_must(&["label", "--local", "-f", &file, "a=b", "-o", "json"]).await;
        let read: Value = serde_json::from_str(&read).unwrap();
        let read = &read["spec"]["template"]["metadata"]["annotations"];
        assert_eq!(read["merged"], json!({ "p": 1, "q": 2 }));
        assert_eq!(read["keys"], json!({ "1": "a", "16": "d", "true": "c" }));
        assert_eq!(read["listed"], json!({ "p": 4, "q": 1, "r": 3 }));
        let found = plugin.findings(&file).await;
        let of = |index: usize| {
            let field = format!("spec.template.metadata.annotations[w{index}]");
            let told = found.as_array().unwrap().iter().find(|finding| finding["field"] == field.as_str());
            told.map(|finding| finding["message"].as_str().unwrap().to_owned())
        };
        for (index, word) in WORDS.iter().enumerate() {
            let value = &read[format!("w{index}")];
            let want = (!value.is_string()).then(|| format!("{value} is not a string"));
            assert_eq!(
                of(index).as_deref().map(|told| told.split(';').next().unwrap()),
                want.as_deref(),
                "{word}"
            );
        }
    });
}
