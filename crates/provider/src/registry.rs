//! Finds a provider by the name a class gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Provider, SpecRules};

/// Providers, or their offline halves, by name without case.
pub struct Registry<P: ?Sized> {
    by_name: BTreeMap<String, Arc<P>>,
    names: Vec<&'static str>,
}

/// A name that no linked provider has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("provider {name:?} is not known; this build knows {}", known.join(", "))]
pub struct UnknownProvider {
    /// The name that was asked for.
    pub name: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}

/// Two providers with one name: a mistake in the build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two providers are called {name:?}; give each its own name")]
pub struct NameTaken {
    name: String,
}

impl<P: ?Sized> Clone for Registry<P> {
    fn clone(&self) -> Self {
        Self { by_name: self.by_name.clone(), names: self.names.clone() }
    }
}

impl<P: ?Sized> Default for Registry<P> {
    fn default() -> Self {
        Self { by_name: BTreeMap::new(), names: Vec::new() }
    }
}

impl<P: ?Sized> Registry<P> {
    /// The provider of that name.
    ///
    /// # Errors
    /// When there is none; the error lists those there are.
    pub fn get(&self, name: &str) -> Result<&Arc<P>, UnknownProvider> {
        self.by_name
            .get(&name.to_lowercase())
            .ok_or_else(|| UnknownProvider { name: name.to_owned(), known: self.names.clone() })
    }

    /// The first name of each provider.
    #[must_use]
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    fn insert(mut self, names: &'static [&'static str], provider: Arc<P>) -> Result<Self, NameTaken> {
        for name in names {
            if self.by_name.insert(name.to_lowercase(), provider.clone()).is_some() {
                return Err(NameTaken { name: (*name).to_owned() });
            }
        }
        self.names.extend(names.first());
        Ok(self)
    }
}

impl Registry<dyn Provider> {
    /// With one more provider.
    ///
    /// # Errors
    /// When its name is taken.
    pub fn with(self, provider: Arc<dyn Provider>) -> Result<Self, NameTaken> {
        self.insert(provider.names(), provider)
    }
}

impl Registry<dyn SpecRules> {
    /// With one more provider's rules.
    ///
    /// # Errors
    /// When its name is taken.
    pub fn with(self, rules: Arc<dyn SpecRules>) -> Result<Self, NameTaken> {
        self.insert(rules.names(), rules)
    }
}
