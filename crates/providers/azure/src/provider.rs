//! The provider: its offline half, and the calls.

use async_trait::async_trait;
use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_api::MachineCode;
use millwright_cloud_http::CloudAccess;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, FieldError, Instance,
    Listed, Provider, ProviderError, Rule, Scope, SecretKey, SpecRules, Target, UserData,
};
use serde_json::Value;

use crate::rules::AzureRules;
use crate::spec::Spec;

/// Provider `Azure`.
#[derive(Debug)]
pub struct AzureProvider {
    access: CloudAccess,
}

impl AzureProvider {
    /// A provider that calls by what the process lends it.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self { access }
    }

    fn refuse<T>(&self, class: &ClassView<'_>) -> Result<T, ProviderError> {
        let spec = Spec::of(class)?;
        let message = format!("{:?} {}", self.access.endpoints, spec.provider_id("", ""));
        Err(ProviderError::new(MachineCode::Unimplemented, message))
    }
}

#[async_trait]
impl Provider for AzureProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        self.refuse(&target.class)
    }

    async fn create(
        &self,
        target: Target<'_>,
        _user_data: &UserData,
    ) -> Result<CreateOutcome, ProviderError> {
        self.refuse(&target.class)
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        self.refuse(&request.target.class)
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        _credentials: &Credentials,
        _deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        self.refuse(&class)
    }
}

impl SpecRules for AzureProvider {
    fn names(&self) -> &'static [&'static str] {
        AzureRules.names()
    }

    fn schema(&self) -> Value {
        AzureRules.schema()
    }

    fn rules(&self) -> &'static [Rule] {
        AzureRules.rules()
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        AzureRules.secret_keys()
    }

    fn add_defaults(&self, spec: &mut Value) {
        AzureRules.add_defaults(spec);
    }

    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        AzureRules.validate(class, old)
    }

    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError> {
        AzureRules.validate_credentials(credentials)
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        AzureRules.scope(class)
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        AzureRules.canonical_id(provider_id)
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        AzureRules.volume_ids(volumes)
    }
}
