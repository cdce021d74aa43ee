//! The class a machine names.

use millwright_api::{GROUP, MACHINE_CLASS_KIND};

use crate::facts::{Facts, Known};
use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::{known_fields, rules, syntax, word};

/// Kind and name must be there. A class that does not exist is only a warning: it may come with the
/// next document of the same `kubectl apply`.
pub(crate) fn judge(class: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    if class.value().is_none() {
        findings.required(
            rules::CLASS_REFERENCE,
            class,
            "must be set: kind MachineClass and the name of a class in this namespace",
        );
        return;
    }
    if class.map(findings).is_none() {
        return;
    }
    known_fields::judge(class, &known_fields::CLASS_REFERENCE, findings);
    judge_group(&class.at("apiGroup"), findings);
    word::choice(rules::CLASS_REFERENCE, &class.at("kind"), &[MACHINE_CLASS_KIND], findings);
    let field = class.at("name");
    let meaning = "the name of a MachineClass in this namespace";
    let name = word::required(rules::CLASS_REFERENCE, &field, meaning, syntax::dns_subdomain, findings);
    let Some(name) = name else { return };
    match facts.class(name) {
        Known::Yes(None) => {
            let near = match facts.classes() {
                Known::Yes(classes) => suggestion(name, classes.iter().map(String::as_str)),
                Known::No => String::new(),
            };
            let text = format!("there is no MachineClass {name:?} yet; machines wait for it{near}");
            findings.warn(rules::CLASS_EXISTS, &field, text);
        }
        Known::Yes(Some(class)) if class.metadata.deletion_timestamp.is_some() => {
            let text = format!("MachineClass {name:?} is being deleted; no machine can be made with it");
            findings.warn(rules::CLASS_DELETING, &field, text);
        }
        Known::Yes(Some(_)) | Known::No => {}
    }
}

/// Only told: neither Gardener's controllers nor ours look at it.
fn judge_group(field: &Field<'_>, findings: &mut Findings) {
    if let Some(group) = field.text(findings)
        && !matches!(group, "" | GROUP)
    {
        findings.warn(
            rules::CLASS_GROUP,
            field,
            format!("{group:?} is not the group of MachineClasses, {GROUP}; it is ignored"),
        );
    }
}
