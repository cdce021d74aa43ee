//! What a class may not lose while machines were made with it: their VMs could not be found, or not be reached, any more.

use millwright_api::keys::finalizers;
use millwright_provider::{ClassView, Dialect, FieldErrorKind};
use serde_json::Value;

use crate::class_users::machines;
use crate::facts::{Facts, Known};
use crate::field::Field;
use crate::findings::Findings;
use crate::rulebook::{ProviderRules, Rulebook};
use crate::secret_keys::{Keys, keys_of, missing, name_of};
use crate::{Request, rules};

/// Provider, scope and Secrets of a class in use.
pub(crate) fn judge(
    class: &Field<'_>,
    old: &Value,
    request: &Request<'_>,
    facts: &dyn Facts,
    rulebook: &Rulebook,
    findings: &mut Findings,
) {
    let Some(users) = users(old, request.name, facts) else { return };
    let before = Field::root(old);
    let provider_of = |class: &Field<'_>| {
        let name = class.at("provider").value()?.as_str()?;
        rulebook.find(name).ok()
    };
    // A provider that nobody knew made no VM here.
    if let (Some(was), Some(is)) = (provider_of(&before), provider_of(class)) {
        if was.name == is.name {
            judge_scope(class, &before, request, is, &users, findings);
        } else {
            let detail = format!(
                "may not change from {:?}: {users} would be looked for in another cloud; make a new class",
                was.name
            );
            findings.forbidden(rules::PROVIDER_STAYS, &class.at("provider"), detail);
        }
        judge_secrets(class, &before, is, &users, facts, findings);
    }
}

/// Who uses the class, for messages; none when nobody does.
fn users(old: &Value, name: &str, facts: &dyn Facts) -> Option<String> {
    match facts.class_users(name) {
        Known::Yes(users) => machines(&users),
        Known::No => {
            let kept = old.pointer("/metadata/finalizers").and_then(Value::as_array)?;
            kept.iter()
                .take(64)
                .any(|finalizer| finalizer == finalizers::MACHINE)
                .then(|| "its machines".to_owned())
        }
    }
}

fn judge_scope(
    class: &Field<'_>,
    before: &Field<'_>,
    request: &Request<'_>,
    provider: ProviderRules<'_>,
    users: &str,
    findings: &mut Findings,
) {
    let field = class.at("providerSpec");
    let scope = |class: &Field<'_>| {
        let spec = class.at("providerSpec");
        let spec = provider.canonical(spec.value()?);
        let view = ClassView {
            dialect: Dialect::Gardener,
            name: request.name,
            namespace: request.namespace,
            spec: &spec,
            node_template: None,
        };
        provider.rules.scope(&view).ok()
    };
    let (Some(was), Some(is)) = (scope(before), scope(class)) else { return };
    // The provider may have said it of the very field.
    let is_said = findings
        .errors
        .iter()
        .any(|error| error.kind == FieldErrorKind::Forbidden && error.field.starts_with("providerSpec"));
    if (&was.cluster, &was.role) != (&is.cluster, &is.role) {
        if !is_said {
            let detail = format!(
                "may not change from {:?} and {:?} to {:?} and {:?}: {users} would be taken for somebody else's; make a new class",
                was.cluster, was.role, is.cluster, is.role
            );
            findings.forbidden(rules::SCOPE_STAYS, &field, detail);
        }
    } else if was.location != is.location {
        let text = format!(
            "looks at {:?} now, no longer at {:?}; VMs of {users} must be there too",
            is.location, was.location
        );
        findings.warn(rules::SCOPE_LOCATION, &field, text);
    }
}

fn judge_secrets(
    class: &Field<'_>,
    before: &Field<'_>,
    provider: ProviderRules<'_>,
    users: &str,
    facts: &dyn Facts,
    findings: &mut Findings,
) {
    let (own, credentials) = (class.at("secretRef"), class.at("credentialsSecretRef"));
    let suffices = |keys: Keys| match keys {
        Keys::Unknown => false,
        Keys::These(keys) => missing(provider, &keys).next().is_none(),
    };
    for (now, name) in [(&own, "secretRef"), (&credentials, "credentialsSecretRef")] {
        let Some(was) = name_of(&before.at(name)) else { continue };
        if now.value().is_none() && !suffices(keys_of([&own, &credentials], facts)) {
            let detail = format!(
                "may not be removed (it was {was:?}) while {users} may need its keys to be deleted; name another Secret instead"
            );
            findings.forbidden(rules::SECRET_STAYS, now, detail);
        }
    }
}
