//! Rules of a MachineClass.

use serde_json::Value;

use crate::field::Field;
use crate::findings::Findings;
use crate::rulebook::Rulebook;
use crate::word::{self, Word};
use crate::{Request, capacity, provider_spec, rules, secret_references};

/// All mistakes of a class. With `old`, also what may not change.
pub(crate) fn judge(
    class: &Field<'_>,
    old: Option<&Value>,
    request: &Request<'_>,
    rulebook: &Rulebook,
    findings: &mut Findings,
) {
    capacity::judge(&class.at("nodeTemplate"), findings);
    secret_references::judge(class, request.namespace, findings);
    let provider = class.at("provider");
    let known = match word::read(&provider, findings) {
        Word::Is(name) => match rulebook.find(name) {
            Ok(known) => Some(known),
            Err(unknown) => {
                findings.not_supported(rules::PROVIDER_KNOWN, &provider, unknown);
                None
            }
        },
        Word::Missing => {
            findings.required(
                rules::PROVIDER_KNOWN,
                &provider,
                format!("must be one of {}", rulebook.names().join(", ")),
            );
            None
        }
        Word::NoText => None,
    };
    let spec = class.at("providerSpec");
    if spec.value().is_none() {
        findings.required(
            rules::PROVIDER_SPEC,
            &spec,
            "must be set: the settings of the VM in the terms of the provider",
        );
        return;
    }
    if spec.map(findings).is_some()
        && let Some(known) = known
    {
        provider_spec::judge(class, old, request, known, findings);
    }
}
