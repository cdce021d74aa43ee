//! References among the files: what is there is looked up, what is not there is not missed.

use crate::tool::{CLASS, DEPLOYMENT, brief, lint, lint_bytes};

#[test]
fn a_class_later_in_the_stream_is_found() {
    assert!(lint(&format!("{DEPLOYMENT}---\n{CLASS}")).is_empty());
}

#[test]
fn a_class_that_is_not_among_the_classes_of_the_namespace_is_told() {
    let text = format!("{}---\n{CLASS}", DEPLOYMENT.replace("workers-v1", "workers-v2"));
    let got = lint(&text);
    assert_eq!(brief(&text), ["14:35 spec.template.spec.class.name? [class-exists]"]);
    assert!(got[0].contains("did you mean \"workers-v1\"?"), "{got:?}");
}

#[test]
fn classes_of_other_namespaces_say_nothing() {
    let elsewhere = CLASS.replace("pool", "elsewhere");
    assert!(lint(&format!("{}---\n{elsewhere}", DEPLOYMENT.replace("workers-v1", "workers-v2"))).is_empty());
}

#[test]
fn the_namespace_flag_is_for_objects_that_name_none() {
    let text = CLASS.replacen("  namespace: pool\n", "", 1);
    assert!(lint(&text).is_empty(), "nobody said which namespace it is");
    assert!(lint_bytes(text.as_bytes(), &["-n", "pool"]).is_empty());
    let got = lint_bytes(text.as_bytes(), &["--namespace=other"]);
    assert!(
        got.len() == 1 && got[0].contains("MachineClass other/workers-v1: secretRef.namespace"),
        "{got:?}"
    );
}

#[test]
fn the_same_object_twice_is_an_error_at_the_second() {
    let text = format!("{DEPLOYMENT}---\n{CLASS}---\n{DEPLOYMENT}");
    let got = lint(&text);
    assert_eq!(got.len(), 1, "{got:?}");
    assert!(
        got[0].starts_with("37:3: error: MachineDeployment pool/workers: metadata.name: is in <stdin>:4 too"),
        "{got:?}"
    );
    let other = DEPLOYMENT.replace("namespace: pool", "namespace: other");
    assert!(lint(&format!("{DEPLOYMENT}---\n{other}")).is_empty());
}

#[test]
fn generated_names_are_never_the_same() {
    let text = DEPLOYMENT.replace("  name: workers\n  ", "  generateName: workers-\n  ");
    assert!(lint(&format!("{text}---\n{text}")).is_empty());
}
