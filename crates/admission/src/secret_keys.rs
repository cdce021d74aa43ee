//! Whether the Secrets of a class are there and hold what its provider needs, as far as that is known: the webhook may read their keys
//! only where an installation says so. Values are never looked at.

use std::collections::BTreeSet;

use millwright_provider::{Requirement, SecretKey};

use crate::facts::{Facts, Known};
use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::nearest;
use crate::rulebook::ProviderRules;
use crate::rules;

/// What is known of the keys of some Secrets together.
pub(crate) enum Keys {
    /// One of them is not known, or not there.
    Unknown,
    /// All are there, with these keys.
    These(BTreeSet<String>),
}

/// A Secret that is not there is only told: it may be the next document. One that is there and lacks a key is a mistake.
pub(crate) fn judge(
    class: &Field<'_>,
    provider: ProviderRules<'_>,
    facts: &dyn Facts,
    findings: &mut Findings,
) {
    let (own, credentials) = (class.at("secretRef"), class.at("credentialsSecretRef"));
    let mut first = None;
    for reference in [&own, &credentials] {
        let field = reference.at("name");
        let Some(name) = name_of(reference) else { continue };
        first.get_or_insert((reference, name));
        if facts.secret(name) == Known::Yes(None) {
            let text = format!("there is no Secret {name:?} yet; machines wait for it");
            findings.warn(rules::SECRET_EXISTS, &field, text);
        }
    }
    let (Some((reference, name)), Keys::These(keys)) = (first, keys_of([&own, &credentials], facts)) else {
        return;
    };
    let both = if name_of(&own).is_some() && name_of(&credentials).is_some() {
        " and that of credentialsSecretRef have"
    } else {
        " has"
    };
    for key in missing(provider, &keys) {
        let near =
            nearest(key.name, keys.iter().map(String::as_str)).map(|near| format!("; is it {near:?}?"));
        findings.required(
            rules::SECRET_KEYS,
            reference,
            format!(
                "Secret {name:?}{both} no key {}, or nothing in it: {}; add it to the Secret first{}",
                key.name,
                key.meaning,
                near.unwrap_or_default()
            ),
        );
    }
}

/// The keys of the Secrets that these references name.
pub(crate) fn keys_of(references: [&Field<'_>; 2], facts: &dyn Facts) -> Keys {
    let mut all = BTreeSet::new();
    for name in references.into_iter().filter_map(name_of) {
        let Known::Yes(Some(secret)) = facts.secret(name) else { return Keys::Unknown };
        all.extend(secret.keys.iter().cloned());
    }
    Keys::These(all)
}

/// Keys that the provider requires and nobody has.
pub(crate) fn missing<'a>(
    provider: ProviderRules<'a>,
    keys: &BTreeSet<String>,
) -> impl Iterator<Item = &'static SecretKey> {
    let has =
        |key: &SecretKey| keys.contains(key.name) || key.aliases.iter().any(|alias| keys.contains(*alias));
    let all = provider.rules.secret_keys().iter();
    all.filter(move |key| key.requirement == Requirement::Required && !has(key))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The name in a reference to a Secret, if there is one.
pub(crate) fn name_of<'a>(reference: &Field<'a>) -> Option<&'a str> {
    reference.value()?.get("name")?.as_str().filter(|name| !name.is_empty())
}
