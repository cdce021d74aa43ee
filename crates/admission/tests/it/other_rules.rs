//! A second invented cloud, which takes anything.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_api::MachineCode;
use millwright_provider::{
    ClassView, Credentials, FieldError, ProviderError, Rule, Scope, SecretKey, SpecRules,
};
use serde_json::{Value, json};

pub(crate) struct OtherRules;

impl SpecRules for OtherRules {
    fn names(&self) -> &'static [&'static str] {
        &["other"]
    }

    fn schema(&self) -> Value {
        json!({"additionalProperties": true})
    }

    fn rules(&self) -> &'static [Rule] {
        &[]
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        &[]
    }

    fn add_defaults(&self, _: &mut Value) {}

    fn validate(&self, _: &ClassView<'_>, _: Option<&ClassView<'_>>) -> Vec<FieldError> {
        Vec::new()
    }

    fn validate_credentials(&self, _: &Credentials) -> Vec<FieldError> {
        Vec::new()
    }

    fn scope(&self, _: &ClassView<'_>) -> Result<Scope, ProviderError> {
        Err(ProviderError::new(MachineCode::InvalidArgument, "nothing is ours"))
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        Ok(provider_id.to_owned())
    }

    fn volume_ids(&self, _: &[PersistentVolumeSpec]) -> Vec<String> {
        Vec::new()
    }
}
