//! An invented provider, so that these tests say nothing about a real one.

use std::sync::Arc;

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_provider::{
    ClassView, Credentials, FieldError, ProviderError, Registry, Rule, Scope, SecretKey, SpecRules,
};
use serde_json::{Value, json};

pub(crate) struct SkyRules;

pub(crate) fn providers() -> Registry<dyn SpecRules> {
    Registry::<dyn SpecRules>::default().with(Arc::new(SkyRules)).unwrap()
}

impl SpecRules for SkyRules {
    fn names(&self) -> &'static [&'static str] {
        &["sky"]
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "required": ["size", "zone"],
            "properties": {
                "size": {"enum": ["small", "large"]},
                "zone": {"type": "string"},
                "diskGiB": {"type": "integer", "minimum": 1}
            }
        })
    }

    fn rules(&self) -> &'static [Rule] {
        &[]
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        &[]
    }

    fn add_defaults(&self, spec: &mut Value) {
        if let Some(spec) = spec.as_object_mut() {
            spec.entry("diskGiB").or_insert(json!(20));
        }
    }

    fn validate(&self, _: &ClassView<'_>, _: Option<&ClassView<'_>>) -> Vec<FieldError> {
        Vec::new()
    }

    fn validate_credentials(&self, _: &Credentials) -> Vec<FieldError> {
        Vec::new()
    }

    fn scope(&self, _: &ClassView<'_>) -> Result<Scope, ProviderError> {
        Ok(Scope { cluster: "sky".to_owned(), role: "node".to_owned(), location: String::new() })
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        Ok(provider_id.to_owned())
    }

    fn volume_ids(&self, _: &[PersistentVolumeSpec]) -> Vec<String> {
        Vec::new()
    }
}
