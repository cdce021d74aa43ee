//! Rules of a MachineClass.

use serde_json::Value;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::rulebook::{ProviderRules, Rulebook, UnknownProviders};
use crate::word::{self, Word};
use crate::{
    Request, capacity, class_change, known_fields, provider_spec, rules, secret_keys, secret_references,
};

/// All mistakes of a class. With `old`, also what may not change.
pub(crate) fn judge(
    class: &Field<'_>,
    old: Option<&Value>,
    request: &Request<'_>,
    facts: &dyn Facts,
    rulebook: &Rulebook,
    findings: &mut Findings,
) {
    known_fields::judge(class, &known_fields::CLASS, findings);
    capacity::judge(&class.at("nodeTemplate"), findings);
    secret_references::judge(class, request.namespace, findings);
    let known = judge_provider(&class.at("provider"), rulebook, findings);
    let spec = class.at("providerSpec");
    if spec.value().is_none() {
        findings.required(
            rules::PROVIDER_SPEC,
            &spec,
            "must be set: the settings of the VM in the terms of the provider",
        );
    } else if spec.map(findings).is_some()
        && let Some(known) = known
    {
        provider_spec::judge(class, old, request, known, findings);
    }
    if let Some(known) = known {
        secret_keys::judge(class, known, facts, findings);
    }
    if let Some(old) = old {
        class_change::judge(class, old, request, facts, rulebook, findings);
    }
}

fn judge_provider<'a>(
    provider: &Field<'_>,
    rulebook: &'a Rulebook,
    findings: &mut Findings,
) -> Option<ProviderRules<'a>> {
    match word::read(provider, findings) {
        Word::Is(name) => match rulebook.find(name) {
            Ok(known) => return Some(known),
            Err(unknown) => match rulebook.unknown_providers() {
                UnknownProviders::Refused => findings.not_supported(rules::PROVIDER_KNOWN, provider, unknown),
                UnknownProviders::Told => {
                    let text = format!(
                        "{unknown}; providerSpec is not looked at, and another controller must make the machines"
                    );
                    findings.warn(rules::PROVIDER_ELSEWHERE, provider, text);
                }
            },
        },
        Word::Missing => findings.required(
            rules::PROVIDER_KNOWN,
            provider,
            format!("must be one of {}", rulebook.names().join(", ")),
        ),
        Word::NoText => {}
    }
    None
}
