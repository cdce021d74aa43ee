//! The provider: the offline rules, and each call handed to its verb.

use async_trait::async_trait;
use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_api::MachineCode;
use millwright_cloud_http::CloudAccess;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, FieldError, Instance,
    Listed, Provider, ProviderError, Rule, Scope, SecretKey, SpecRules, Target, UserData,
};
use serde_json::Value;

use crate::rules::AwsRules;

/// Provider `AWS`.
#[derive(Clone, Debug)]
pub struct AwsProvider {
    access: CloudAccess,
}

impl AwsProvider {
    /// A provider that calls by that access.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self { access }
    }
}

fn not_yet<T>(access: &CloudAccess) -> Result<T, ProviderError> {
    let message = format!("not there yet ({:?})", access.endpoints);
    Err(ProviderError::new(MachineCode::Unimplemented, message))
}

#[async_trait]
impl Provider for AwsProvider {
    async fn status(&self, _target: Target<'_>) -> Result<Instance, ProviderError> {
        not_yet(&self.access)
    }

    async fn create(
        &self,
        _target: Target<'_>,
        _user_data: &UserData,
    ) -> Result<CreateOutcome, ProviderError> {
        not_yet(&self.access)
    }

    async fn delete(&self, _request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        not_yet(&self.access)
    }

    async fn list(
        &self,
        _class: ClassView<'_>,
        _credentials: &Credentials,
        _deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        not_yet(&self.access)
    }
}

impl SpecRules for AwsProvider {
    fn names(&self) -> &'static [&'static str] {
        AwsRules.names()
    }

    fn schema(&self) -> Value {
        AwsRules.schema()
    }

    fn rules(&self) -> &'static [Rule] {
        AwsRules.rules()
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        AwsRules.secret_keys()
    }

    fn add_defaults(&self, spec: &mut Value) {
        AwsRules.add_defaults(spec);
    }

    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        AwsRules.validate(class, old)
    }

    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError> {
        AwsRules.validate_credentials(credentials)
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        AwsRules.scope(class)
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        AwsRules.canonical_id(provider_id)
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        AwsRules.volume_ids(volumes)
    }
}
