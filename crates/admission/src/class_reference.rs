//! The class a machine names.

use millwright_api::MACHINE_CLASS_KIND;

use crate::facts::{Facts, Known};
use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::{rules, syntax, word};

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
    word::choice(rules::CLASS_REFERENCE, &class.at("kind"), &[MACHINE_CLASS_KIND], findings);
    let field = class.at("name");
    let meaning = "the name of a MachineClass in this namespace";
    let name = word::required(rules::CLASS_REFERENCE, &field, meaning, syntax::dns_subdomain, findings);
    let Some(name) = name else { return };
    if facts.class(name) == Known::Yes(None)
        && let Known::Yes(classes) = facts.classes()
    {
        let near = suggestion(name, classes.iter().map(String::as_str));
        findings.warn(
            rules::CLASS_EXISTS,
            &field,
            format!("there is no MachineClass {name:?} yet; machines wait for it{near}"),
        );
    }
}
