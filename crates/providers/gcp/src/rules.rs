//! The offline half of the provider.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_provider::kubermatic::Vocabulary;
use millwright_provider::{
    ClassView, Credentials, FieldError, ProviderError, Rule, Scope, SecretKey, SpecRules,
};
use serde_json::Value;

use crate::provider_id::{IdForm, VmPlace};
use crate::{defaults, kubermatic, rule_list, schema, scope, secrets, validate, volumes};

/// Rules of provider `GCP`; needs nothing and knows no cloud.
#[derive(Clone, Copy, Debug, Default)]
pub struct GcpRules;

impl SpecRules for GcpRules {
    fn names(&self) -> &'static [&'static str] {
        &["GCP", "gce"]
    }

    fn schema(&self) -> Value {
        schema::schema()
    }

    fn rules(&self) -> &'static [Rule] {
        rule_list::RULES
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        secrets::KEYS
    }

    fn add_defaults(&self, spec: &mut Value) {
        defaults::add(spec);
    }

    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        validate::validate(class, old)
    }

    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError> {
        secrets::validate(credentials)
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        scope::of(class)
    }

    fn kubermatic(&self) -> Option<&'static Vocabulary> {
        Some(&kubermatic::VOCABULARY)
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        VmPlace::of(provider_id).map(|place| place.id(IdForm::ThreeSlashes))
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        volumes::ids(volumes)
    }
}
