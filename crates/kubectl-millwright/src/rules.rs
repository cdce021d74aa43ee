//! Every rule that a finding may name: lint's own, those of admission, those of the providers.

use std::sync::Arc;

use millwright_admission::{RULES, Rulebook, SchemaError};
use millwright_provider::{NameTaken, Registry, Rule, RuleId, SpecRules};
use millwright_provider_aws::AwsRules;
use millwright_provider_azure::AzureRules;
use millwright_provider_gcp::GcpRules;
use millwright_provider_local::LocalRules;
use millwright_provider_openstack::OpenStackRules;

const ALL: &str = "every kind";

/// The file is text and YAML or JSON.
pub(crate) const SYNTAX: Rule = Rule::error(
    "lint/syntax",
    "files",
    "A file is UTF-8, and each of its documents is YAML or JSON that kubectl can read.",
);
/// No key twice.
pub(crate) const KEY_UNIQUE: Rule = Rule::error(
    "lint/key-unique",
    "files",
    "A key stands once in its map. kubectl says nothing, and the last one counts.",
);
/// Of a kind and version that exist.
pub(crate) const KIND: Rule = Rule::error(
    "lint/kind",
    ALL,
    "apiVersion and kind of an object of machine.sapcloud.io are ones that exist.",
);
/// One document an object.
pub(crate) const OBJECT_UNIQUE: Rule = Rule::error(
    "lint/object-unique",
    ALL,
    "No two documents are the same object; with kubectl apply the last one would win.",
);
/// Only fields that exist.
pub(crate) const UNKNOWN_FIELD: Rule = Rule::error(
    "lint/unknown-field",
    ALL,
    "Every field is one of the CRD. kubectl apply refuses others; clients that do not ask for that lose them. One with nothing behind its colon is not there.",
);
/// The type in the CRD: the same rule as that of admission, for fields that admission does not look at.
pub(crate) const FIELD_TYPE: RuleId = RuleId::new("field-type");
/// The range in the CRD.
pub(crate) const RANGE: Rule = Rule::error("lint/range", ALL, "A number is in the range that the CRD says.");
/// The length in the CRD.
pub(crate) const LENGTH: Rule = Rule::error("lint/length", ALL, "A text is not longer than the CRD says.");
/// What the CRD requires.
pub(crate) const REQUIRED: Rule =
    Rule::error("lint/required", ALL, "Fields that the CRD requires are there.");

/// Lint's own.
pub(crate) const OWN: &[Rule] =
    &[SYNTAX, KEY_UNIQUE, KIND, OBJECT_UNIQUE, UNKNOWN_FIELD, RANGE, LENGTH, REQUIRED];

/// A mistake in the build.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// Two providers have one name.
    #[error(transparent)]
    Providers(#[from] NameTaken),
    /// A provider's schema can't be used.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// The offline half of every provider that is linked.
fn providers() -> [Arc<dyn SpecRules>; 5] {
    [
        Arc::new(AwsRules),
        Arc::new(AzureRules),
        Arc::new(GcpRules),
        Arc::new(OpenStackRules),
        Arc::new(LocalRules),
    ]
}

/// The rules of admission with every provider that is linked.
pub(crate) fn rulebook() -> Result<Rulebook, RulesError> {
    let mut registry = Registry::<dyn SpecRules>::default();
    for provider in providers() {
        registry = registry.with(provider)?;
    }
    Ok(Rulebook::new(registry)?)
}

/// Every rule, in the order of the reference.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(providers().into_iter().flat_map(|provider| provider.rules())).chain(OWN)
}
