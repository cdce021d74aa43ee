//! Broken MachineClasses.

use millwright_admission::{Kind, Standing};
use serde_json::{Value, json};

use super::Write::{Create, Delete, Update};
use super::{Case, Write};
use crate::neighbours::Neighbours;
use crate::objects::{class, with, without};

fn case(rule: &'static str, field: &'static str, write: Write) -> Case {
    Case::new(rule, field, Kind::MachineClass, write)
}

fn spec(field: &str, value: Value) -> Write {
    Create(with(class(), &format!("/providerSpec/{field}"), value))
}

fn node_template(field: &str, value: Value) -> Write {
    let good = json!({
        "capacity": {"cpu": "4", "gpu": 0, "memory": "16Gi"}, "virtualCapacity": {},
        "instanceType": "s", "region": "r", "zone": "z", "architecture": "amd64"
    });
    Create(with(with(class(), "/nodeTemplate", good), &format!("/nodeTemplate/{field}"), value))
}

fn used() -> Neighbours {
    Neighbours::default().user(Kind::Machine, "m-1", Standing::There)
}

/// A class that was stored with its finalizer, and another one to come.
fn change(change: impl Fn(&mut Value)) -> Write {
    let mut old =
        with(class(), "/metadata/finalizers", json!(["machine.sapcloud.io/machine-controller-manager"]));
    old["credentialsSecretRef"] = json!({"name": "shared", "namespace": "shoot"});
    let mut new = old.clone();
    change(&mut new);
    Update(old, new)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("field-type", "nodeTemplate", Create(with(class(), "/nodeTemplate", json!("large")))),
        case("field-type", "metadata.labels[a]", Create(with(class(), "/metadata/labels", json!({"a": 1})))),
        case("field-unknown", "providerSpek", Create(with(class(), "/providerSpek", json!({})))),
        case("field-unknown", "nodeTemplate.instancetype", node_template("instancetype", json!("s"))),
        case("field-unknown", "secretRef.nmae", Create(with(class(), "/secretRef/nmae", json!("x")))),
        case("object-name", "metadata.name", Create(with(class(), "/metadata/name", json!("Small")))),
        case("object-name", "metadata.name", Create(without(class(), "/metadata/name"))),
        case("label", "metadata.labels[a]", Create(with(class(), "/metadata/labels", json!({"a": "b c"})))),
        case(
            "annotation",
            "metadata.annotations[a b]",
            Create(with(class(), "/metadata/annotations", json!({"a b": ""}))),
        ),
        case("provider-known", "provider", Create(with(class(), "/provider", json!("clout")))),
        case("provider-known", "provider", Create(without(class(), "/provider"))),
        case("provider-elsewhere", "provider", Create(with(class(), "/provider", json!("Somebodys"))))
            .beside_others(),
        case("provider-spec", "providerSpec", Create(without(class(), "/providerSpec"))),
        case("provider-field-required", "providerSpec.size", Create(without(class(), "/providerSpec/size"))),
        case("provider-field-required", "providerSpec.nics[0].subnet", spec("nics", json!([{"subnet": ""}]))),
        case("provider-field-type", "providerSpec.boot.delay", spec("boot", json!({"delay": 3}))),
        case("provider-field-choice", "providerSpec.size", spec("size", json!("smal"))),
        case("provider-field-range", "providerSpec.diskGiB", spec("diskGiB", json!(0))),
        case(
            "provider-field-length",
            "providerSpec.tags",
            spec(
                "tags",
                json!({"kubernetes.io/role/node": "1", "a-key-of-more-than-thirty-characters": "x"}),
            ),
        ),
        case("provider-field-form", "providerSpec.address", spec("address", json!(7))),
        case("provider-field-unknown", "providerSpec.diskGB", spec("diskGB", json!(20))),
        case("secret-reference", "secretRef", Create(without(class(), "/secretRef"))),
        case("secret-reference", "secretRef.name", Create(without(class(), "/secretRef/name"))),
        case(
            "secret-reference",
            "credentialsSecretRef.name",
            Create(with(class(), "/credentialsSecretRef", json!({"name": "A b"}))),
        ),
        case(
            "secret-namespace",
            "secretRef.namespace",
            Create(with(class(), "/secretRef/namespace", json!("elsewhere"))),
        ),
        case("secret-exists", "secretRef.name", Create(class()))
            .knowing(Neighbours::default().no_secret("cloud-secret")),
        case("secret-keys", "secretRef", Create(class()))
            .knowing(Neighbours::default().secret("cloud-secret", &["accessKey", "userdata"])),
        case("secret-keys", "secretRef", change(|class| class["secretRef"]["name"] = json!("other")))
            .knowing(Neighbours::default().secret("other", &["userData"]).secret("shared", &["proxy"])),
        case(
            "secret-stays",
            "credentialsSecretRef",
            change(|class| *class = without(class.take(), "/credentialsSecretRef")),
        )
        .knowing(used()),
        case("secret-stays", "secretRef", change(|class| *class = without(class.take(), "/secretRef"))),
        case("provider-stays", "provider", change(|class| class["provider"] = json!("other")))
            .knowing(used()),
        case(
            "scope-stays",
            "providerSpec",
            change(|class| class["providerSpec"]["tags"] = json!({"a": "b", "kubernetes.io/role/node": "1"})),
        ),
        case(
            "scope-location",
            "providerSpec",
            change(|class| class["providerSpec"]["size"] = json!("large")),
        )
        .knowing(used()),
        case("node-template-complete", "nodeTemplate.region", node_template("region", json!(""))),
        case(
            "node-template-complete",
            "nodeTemplate.capacity[memory]",
            node_template("capacity", json!({"cpu": 1, "gpu": 0})),
        ),
        case(
            "resource-name",
            "nodeTemplate.virtualCapacity[a b]",
            node_template("virtualCapacity", json!({"a b": "1"})),
        ),
        case(
            "quantity",
            "nodeTemplate.capacity[cpu]",
            node_template("capacity", json!({"cpu": "four", "gpu": "0", "memory": "1Gi"})),
        ),
        case(
            "quantity",
            "nodeTemplate.virtualCapacity[x]",
            node_template("virtualCapacity", json!({"x": -1})),
        ),
        case("architecture", "nodeTemplate.architecture", node_template("architecture", json!("x86_64"))),
        case("class-in-use", "metadata.name", Delete(class())).knowing(used()),
        case("class-in-use", "metadata.name", Delete(class())).knowing(
            Neighbours::default().user(Kind::Machine, "m-1", Standing::Deleting).user(
                Kind::MachineDeployment,
                "pool",
                Standing::There,
            ),
        ),
    ]
}
