//! The rules of every provider that is linked, with their schemas compiled once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;

use millwright_provider::{Registry, SpecRules, canonical_keys};
use serde_json::Value;

use crate::nearest::suggestion;
use crate::spec_schema::SpecSchema;

/// What the judgement of classes needs of the providers. Made once, at start.
pub struct Rulebook {
    registry: Registry<dyn SpecRules>,
    unknown: UnknownProviders,
    /// By the provider's first name.
    schemas: BTreeMap<&'static str, SpecSchema>,
}

/// What becomes of a class whose provider is none of this build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownProviders {
    /// It is refused: nobody would make its machines.
    #[default]
    Refused,
    /// Its author is told, and its provider's part is not looked at: another controller makes its machines.
    Told,
}

impl FromStr for UnknownProviders {
    type Err = &'static str;

    /// As a flag has it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "refused" => Ok(Self::Refused),
            "told" => Ok(Self::Told),
            _ => Err("write refused or told"),
        }
    }
}

/// A provider's schema is no JSON schema: a mistake in the build, found at start.
#[derive(Debug, thiserror::Error)]
#[error("the schema of provider {provider} can't be used: {reason}")]
pub struct SchemaError {
    provider: &'static str,
    reason: String,
}

/// The rules of one provider.
#[derive(Clone, Copy)]
pub(crate) struct ProviderRules<'a> {
    pub(crate) name: &'static str,
    pub(crate) rules: &'a dyn SpecRules,
    pub(crate) schema: &'a SpecSchema,
}

impl ProviderRules<'_> {
    /// A spec with its keys as the schema spells them, whatever their case: what rules and schema are asked about.
    pub(crate) fn canonical<'a>(&self, spec: &'a Value) -> Cow<'a, Value> {
        canonical_keys(spec, &self.schema.document)
    }
}

impl Rulebook {
    /// Compiles the schemas of all providers.
    ///
    /// # Errors
    /// When a provider's schema is no JSON schema.
    pub fn new(registry: Registry<dyn SpecRules>) -> Result<Self, SchemaError> {
        let mut schemas = BTreeMap::new();
        for &name in registry.names() {
            if let Ok(rules) = registry.get(name) {
                let schema = SpecSchema::compile(rules.schema())
                    .map_err(|reason| SchemaError { provider: name, reason })?;
                schemas.insert(name, schema);
            }
        }
        Ok(Self { registry, unknown: UnknownProviders::default(), schemas })
    }

    /// The same, with other manners towards providers of somebody else's.
    #[must_use]
    pub fn with_unknown_providers(self, unknown: UnknownProviders) -> Self {
        Self { unknown, ..self }
    }

    /// What becomes of a class whose provider is none of this build.
    pub(crate) const fn unknown_providers(&self) -> UnknownProviders {
        self.unknown
    }

    /// The names to write in `provider`.
    #[must_use]
    pub fn names(&self) -> &[&'static str] {
        self.registry.names()
    }

    /// The rules of a provider, or a message that lists those there are.
    pub(crate) fn find(&self, name: &str) -> Result<ProviderRules<'_>, String> {
        let known = self.registry.get(name).ok().and_then(|rules| {
            let first = *rules.names().first()?;
            Some(ProviderRules { name: first, rules: rules.as_ref(), schema: self.schemas.get(first)? })
        });
        known.ok_or_else(|| {
            let names = self.names();
            format!("{name:?} is not one of {}{}", names.join(", "), suggestion(name, names.iter().copied()))
        })
    }
}
