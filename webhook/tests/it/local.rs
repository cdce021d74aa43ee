//! The providers that are really linked.

use millwright_admission::{Change, Kind, NoFacts, Request, Rulebook, UnknownProviders, review};
use millwright_webhook::linked_providers;
use serde_json::{Value, json};

pub(crate) fn class() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineClass",
        "metadata": {"name": "small", "namespace": "shoot"},
        "provider": "local",
        "providerSpec": {
            "endpoint": "http://127.0.0.1:8080", "size": "small", "image": "ubuntu-24.04", "zone": "local-a",
            "tags": {"kubernetes.io/cluster/shoot": "1", "kubernetes.io/role/node": "1"}
        },
        "secretRef": {"name": "secret", "namespace": "shoot"}
    })
}

fn decide(class: &Value) -> (bool, Vec<String>) {
    let rulebook = Rulebook::new(linked_providers().unwrap()).unwrap();
    let change = Change::Create { new: class };
    let request =
        Request { kind: Kind::MachineClass, name: "small", namespace: "shoot", field_manager: None, change };
    let decision = review(&request, &NoFacts, &rulebook);
    (decision.patch.is_some(), decision.errors.into_iter().map(|error| error.field).collect())
}

#[test]
fn a_local_class_gets_its_defaults_and_is_allowed() {
    assert_eq!(linked_providers().unwrap().names(), ["AWS", "Azure", "GCP", "OpenStack", "local"]);
    assert_eq!(decide(&class()), (true, vec![]));
}

#[test]
fn a_bad_local_class_is_refused_with_each_of_its_fields() {
    let mut bad = class();
    bad["providerSpec"] = json!({
        "endpoint": "cloud", "size": "small", "image": "", "diskGiB": "many", "tags": {}, "boot": {"delay": "soon"}
    });
    let (_, mut fields) = decide(&bad);
    fields.dedup();
    assert_eq!(
        fields,
        [
            "providerSpec.boot.delay",
            "providerSpec.diskGiB",
            "providerSpec.endpoint",
            "providerSpec.image",
            "providerSpec.tags",
            "providerSpec.zone",
        ]
    );
}

#[test]
fn a_class_of_somebody_elses_cloud_is_refused_or_only_told_as_the_flag_says() {
    let mut class = class();
    class["provider"] = json!("Elsewhere");
    class["providerSpec"] = json!({"image": "one", "size": "large"});
    let decide = |unknown| {
        let rulebook = Rulebook::new(linked_providers().unwrap()).unwrap().with_unknown_providers(unknown);
        let change = Change::Create { new: &class };
        let kind = Kind::MachineClass;
        let request = Request { kind, name: "small", namespace: "shoot", field_manager: None, change };
        review(&request, &NoFacts, &rulebook)
    };
    let refused = decide(UnknownProviders::Refused);
    assert_eq!(
        refused.errors.iter().map(|error| error.rule.as_str()).collect::<Vec<_>>(),
        ["provider-known"]
    );
    let told = decide(UnknownProviders::Told);
    assert!(told.errors.is_empty() && told.patch.is_none(), "{told:?}");
    assert_eq!(
        told.warnings.iter().map(|warning| warning.rule.as_str()).collect::<Vec<_>>(),
        ["provider-elsewhere"]
    );
}
