//! The output for programs.

use serde_json::{Value, json};

use crate::tool::{DEPLOYMENT, root, tool};

fn lint(text: &str) -> Value {
    serde_json::from_str(&tool(&["lint", "-", "--output=json"], &root(), text).out).unwrap()
}

#[test]
fn every_finding_is_an_object_with_the_fields_of_the_docs() {
    let found = lint(&DEPLOYMENT.replace("replicas: 3", "replicas: -3"));
    assert_eq!(
        found,
        json!([{
            "file": "<stdin>",
            "line": 7,
            "column": 3,
            "kind": "MachineDeployment",
            "namespace": "pool",
            "name": "workers",
            "field": "spec.replicas",
            "rule": "count",
            "severity": "error",
            "message": "-3 is too small; write the number of machines, 0 or more",
            "doc": "docs/reference/rules.md#count",
        }])
    );
    let docs = std::fs::read_to_string(root().join("docs/operations/lint.md")).unwrap();
    for field in found[0].as_object().unwrap().keys() {
        assert!(docs.contains(&format!("| `{field}` |")), "docs/operations/lint.md does not tell of {field}");
    }
}

#[test]
fn what_is_not_known_is_null_and_nothing_is_an_empty_array() {
    let found = lint("a: [\n");
    assert_eq!(
        (&found[0]["kind"], &found[0]["namespace"], &found[0]["name"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(found[0]["doc"], "docs/operations/lint.md#lintsyntax");
    assert_eq!(lint(DEPLOYMENT), json!([]));
}
