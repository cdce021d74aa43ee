//! Rules of a Machine.

use serde_json::Value;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::object_meta::Author;
use crate::{known_fields, machine_spec, rules};

/// All mistakes of a Machine. With `old`, also what may not change.
pub(crate) fn judge(
    machine: &Field<'_>,
    old: Option<&Value>,
    author: Author,
    facts: &dyn Facts,
    findings: &mut Findings,
) {
    known_fields::judge(machine, &known_fields::OBJECT, findings);
    let spec = machine.at("spec");
    let mut told = Findings::default();
    machine_spec::judge(&spec, facts, &mut told);
    // Copied from the template of a set that is older than the rule, maybe: refused, the fleet could neither grow nor heal.
    let is_copied = old.is_none() && author == Author::Controller;
    findings.join(if is_copied { told.only_told() } else { told });
    if let Some(old) = old {
        judge_change(&spec, old, findings);
    }
}

/// Drivers and nodes spell an id in different ways: with region or zone, in other letters. What follows the last slash is the VM.
fn names_same_vm(one: &str, other: &str) -> bool {
    let vm = |id: &str| id.rsplit('/').next().unwrap_or_default().to_owned();
    vm(one).eq_ignore_ascii_case(&vm(other))
}

fn judge_change(spec: &Field<'_>, old: &Value, findings: &mut Findings) {
    let text = |pointer: &str| old.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let Some(id) = text("/spec/providerID") else { return };
    let now = spec.at("providerID");
    if now.value().is_none_or(|now| now.as_str().is_some_and(|now| !names_same_vm(now, id))) {
        let detail = format!(
            "may not change from {id:?}: that VM would run on unseen, and another one be made or deleted. Delete the machine \
             instead"
        );
        findings.forbidden(rules::PROVIDER_ID_STAYS, &now, detail);
    }
    let class = spec.at("class");
    let (was, name) = (text("/spec/class/name"), class.at("name"));
    if let (Some(was), Some(is)) = (was, name.value().and_then(|name| name.as_str()))
        && was != is
    {
        let text =
            format!("the VM was made with {was:?} and stays as it is; only what deletes it reads {is:?}");
        findings.warn(rules::CLASS_OF_VM, &name, text);
    }
}
