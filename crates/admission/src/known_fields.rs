//! Keys that nobody reads. Only warnings: the API server prunes most of them with a word of its own, and an object may be written for a
//! newer version.

use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::rules;

pub(crate) const CLASS: [&str; 8] = [
    "apiVersion",
    "kind",
    "metadata",
    "provider",
    "providerSpec",
    "secretRef",
    "credentialsSecretRef",
    "nodeTemplate",
];
pub(crate) const OBJECT: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];
pub(crate) const SECRET_REFERENCE: [&str; 2] = ["name", "namespace"];
pub(crate) const CLASS_NODE_TEMPLATE: [&str; 6] =
    ["capacity", "virtualCapacity", "instanceType", "region", "zone", "architecture"];
pub(crate) const CLASS_REFERENCE: [&str; 3] = ["apiGroup", "kind", "name"];
pub(crate) const MACHINE_SPEC: [&str; 11] = [
    "class",
    "providerID",
    "nodeTemplate",
    "drainTimeout",
    "healthTimeout",
    "creationTimeout",
    "inPlaceUpdateTimeout",
    "machinePreserveTimeout",
    "disableHealthTimeout",
    "maxEvictRetries",
    "nodeConditions",
];
pub(crate) const TEMPLATE: [&str; 2] = ["metadata", "spec"];
/// Metadata of a template: what the controllers copy from it.
pub(crate) const TEMPLATE_METADATA: [&str; 2] = ["labels", "annotations"];
pub(crate) const SELECTOR: [&str; 2] = ["matchLabels", "matchExpressions"];
pub(crate) const SELECTOR_EXPRESSION: [&str; 3] = ["key", "operator", "values"];
pub(crate) const TAINT: [&str; 4] = ["key", "value", "effect", "timeAdded"];
pub(crate) const SET_SPEC: [&str; 6] =
    ["replicas", "selector", "template", "minReadySeconds", "autoPreserveFailedMachineMax", "machineClass"];
pub(crate) const DEPLOYMENT_SPEC: [&str; 10] = [
    "replicas",
    "selector",
    "template",
    "strategy",
    "minReadySeconds",
    "revisionHistoryLimit",
    "paused",
    "rollbackTo",
    "progressDeadlineSeconds",
    "autoPreserveFailedMachineMax",
];
pub(crate) const STRATEGY: [&str; 3] = ["type", "rollingUpdate", "inPlaceUpdate"];
pub(crate) const ROLLING_UPDATE: [&str; 2] = ["maxSurge", "maxUnavailable"];
pub(crate) const IN_PLACE_UPDATE: [&str; 3] = ["maxSurge", "maxUnavailable", "orchestrationType"];
pub(crate) const ROLLBACK: [&str; 1] = ["revision"];
/// Fields of a Node's spec that a machine's template has too, without effect.
const NODE_SPEC_UNUSED: [&str; 6] =
    ["configSource", "externalID", "podCIDR", "podCIDRs", "providerID", "unschedulable"];
/// Fields of an object's metadata that a template has too, without effect.
const METADATA_UNUSED: [&str; 13] = [
    "name",
    "generateName",
    "namespace",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// One warning for each key of the object that is not known, with what was probably meant.
pub(crate) fn judge(object: &Field<'_>, known: &[&str], findings: &mut Findings) {
    for key in strangers(object, known) {
        let near = suggestion(key, known.iter().copied());
        findings.warn(
            rules::FIELD_UNKNOWN,
            &object.at(key),
            format!("there is no such field; it is ignored{near}"),
        );
    }
}

/// The same of the metadata of a template, whose other fields are known and without effect.
pub(crate) fn judge_metadata(metadata: &Field<'_>, findings: &mut Findings) {
    judge_with_unused(metadata, &TEMPLATE_METADATA, &METADATA_UNUSED, findings);
}

/// The same of the spec of a node template.
pub(crate) fn judge_node_spec(spec: &Field<'_>, findings: &mut Findings) {
    judge_with_unused(spec, &["taints"], &NODE_SPEC_UNUSED, findings);
}

fn judge_with_unused(object: &Field<'_>, known: &[&str], unused: &[&str], findings: &mut Findings) {
    for key in strangers(object, known) {
        let field = object.at(key);
        if !unused.contains(&key) {
            let near = suggestion(key, known.iter().copied());
            findings.warn(
                rules::FIELD_UNKNOWN,
                &field,
                format!("there is no such field; it is ignored{near}"),
            );
        } else if !says_nothing(&field) {
            findings.warn(
                rules::FIELD_WITHOUT_EFFECT,
                &field,
                format!("is ignored here; only {} are read", known.join(" and ")),
            );
        }
    }
}

/// Keys of the object that are not known, as far as there is room for them.
fn strangers<'a>(object: &Field<'a>, known: &[&str]) -> impl Iterator<Item = &'a str> {
    let fields = object.value().and_then(|value| value.as_object());
    let keys = fields.into_iter().flat_map(|fields| fields.keys()).map(String::as_str);
    keys.filter(move |key| !known.contains(key)).take(crate::findings::MOST)
}

/// What Go writes for nothing.
fn says_nothing(field: &Field<'_>) -> bool {
    use serde_json::Value;
    match field.value() {
        None | Some(Value::Bool(false)) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    }
}
