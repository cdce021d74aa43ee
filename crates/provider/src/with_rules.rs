//! A provider whose offline half is a value of its own: what it says about a class is what that half says.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use serde_json::Value;

use crate::kubermatic::Vocabulary;
use crate::{ClassView, Credentials, FieldError, ProviderError, Rule, Scope, SecretKey, SpecRules};

/// Hands every question about a class to the rules; whoever has these has [`SpecRules`], and can forget no answer of theirs.
pub trait WithRules: Send + Sync {
    /// The offline half, as the webhook links it.
    fn offline(&self) -> &dyn SpecRules;

    /// What keeps a class from being read although the rules find nothing wrong: they pass over what only the schema
    /// would name, and a class is not held against its schema when a VM is looked after.
    fn unreadable(&self, _class: &ClassView<'_>) -> Option<FieldError> {
        None
    }
}

impl<T: WithRules> SpecRules for T {
    fn names(&self) -> &'static [&'static str] {
        self.offline().names()
    }

    fn schema(&self) -> Value {
        self.offline().schema()
    }

    fn rules(&self) -> &'static [Rule] {
        self.offline().rules()
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        self.offline().secret_keys()
    }

    fn add_defaults(&self, spec: &mut Value) {
        self.offline().add_defaults(spec);
    }

    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        let mut mistakes = self.offline().validate(class, old);
        if mistakes.is_empty() {
            mistakes.extend(self.unreadable(class));
        }
        mistakes
    }

    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError> {
        self.offline().validate_credentials(credentials)
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        self.offline().scope(class)
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        self.offline().canonical_id(provider_id)
    }

    fn kubermatic(&self) -> Option<&'static Vocabulary> {
        self.offline().kubermatic()
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        self.offline().volume_ids(volumes)
    }
}
