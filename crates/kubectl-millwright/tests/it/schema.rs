//! What the CRDs say, where admission does not say it already.

use crate::tool::{CLASS, DEPLOYMENT, brief, lint};

#[test]
fn an_unknown_field_is_an_error_at_any_level_and_the_near_one_is_named() {
    let text = DEPLOYMENT
        .replace("  replicas: 3", "  replica: 3")
        .replace("      class: {", "      drainTimout: 1h\n      class: {apiGruop: x, ")
        .replace("metadata:\n  name", "foo: {}\nmetadata:\n  nam: x\n  name");
    let got = lint(&text);
    assert_eq!(
        brief(&text),
        [
            "3:1 foo [lint/unknown-field]",
            "5:3 metadata.nam [lint/unknown-field]",
            "9:3 spec.replica [lint/unknown-field]",
            "16:7 spec.template.spec.drainTimout [lint/unknown-field]",
            "17:15 spec.template.spec.class.apiGruop [lint/unknown-field]",
        ]
    );
    for near in ["\"name\"?", "\"replicas\"?", "\"drainTimeout\"?"] {
        assert!(got.iter().any(|line| line.contains(&format!("did you mean {near}"))), "{got:?}");
    }
}

#[test]
fn wrong_types_are_told_once() {
    for (from, to, want) in [
        ("  replicas: 3", "  replicas: three", "7:3 spec.replicas [field-type]"),
        ("  replicas: 3", "  replicas: 3\n  minReadySeconds: 1.5", "8:3 spec.minReadySeconds [field-type]"),
        ("  replicas: 3", "  replicas: 3\n  rollbackTo: 7", "8:3 spec.rollbackTo [field-type]"),
        (
            "  namespace: pool\n",
            "  namespace: pool\n  finalizers: [a/b, ~]\n",
            "6:21 metadata.finalizers[1] [field-type]",
        ),
        ("  replicas: 3", "  replicas: 3\n  paused: \"yes\"", "8:3 spec.paused [field-type]"),
        ("  replicas: 3", "  replicas: 9999999999", "7:3 spec.replicas [count]"),
        (
            "  namespace: pool\n",
            "  namespace: pool\n  finalizers: [1]\n",
            "6:16 metadata.finalizers[0] [field-type]",
        ),
    ] {
        let text = DEPLOYMENT.replacen(from, to, 1);
        assert_ne!(text, DEPLOYMENT);
        assert_eq!(brief(&text), [want], "{to}");
    }
}

#[test]
fn what_the_api_server_writes_may_be_there() {
    let text = DEPLOYMENT.replace(
        "metadata:\n  name: workers\n",
        "metadata:\n  name: workers\n  creationTimestamp: null\n  managedFields: [{manager: kubectl}]\n  uid: a\n  generation: 2\n",
    ) + "status:\n  replicas: 3\n  conditions: []\n";
    assert!(lint(&text).is_empty(), "{:?}", lint(&text));
}

#[test]
fn a_field_with_nothing_behind_its_colon_is_not_there() {
    let text = DEPLOYMENT.replace("  replicas: 3", "  replicas: 3\n  strategy:\n  paused: ~");
    assert!(lint(&text).is_empty(), "{:?}", lint(&text));
}

#[test]
fn a_provider_spec_belongs_to_its_provider() {
    let text = CLASS.replace("  size: small\n", "  size: small\n  colour: red\n");
    assert_eq!(brief(&text), ["13:3 providerSpec.colour? [provider-field-unknown]"]);
}
