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

use crate::rules::OpenStackRules;

/// Provider `OpenStack`.
#[derive(Clone, Debug)]
pub struct OpenStackProvider {
    access: CloudAccess,
}

impl OpenStackProvider {
    /// A provider that calls with what the process lends it.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self { access }
    }
}

fn not_yet(_access: &CloudAccess) -> ProviderError {
    ProviderError::new(MachineCode::Unimplemented, "OpenStack is not called yet")
}

#[async_trait]
impl Provider for OpenStackProvider {
    async fn status(&self, _target: Target<'_>) -> Result<Instance, ProviderError> {
        Err(not_yet(&self.access))
    }

    async fn create(
        &self,
        _target: Target<'_>,
        _user_data: &UserData,
    ) -> Result<CreateOutcome, ProviderError> {
        Err(not_yet(&self.access))
    }

    async fn delete(&self, _request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        Err(not_yet(&self.access))
    }

    async fn list(
        &self,
        _class: ClassView<'_>,
        _credentials: &Credentials,
        _deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        Err(not_yet(&self.access))
    }
}

impl SpecRules for OpenStackProvider {
    fn names(&self) -> &'static [&'static str] {
        OpenStackRules.names()
    }

    fn schema(&self) -> Value {
        OpenStackRules.schema()
    }

    fn rules(&self) -> &'static [Rule] {
        OpenStackRules.rules()
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        OpenStackRules.secret_keys()
    }

    fn add_defaults(&self, spec: &mut Value) {
        OpenStackRules.add_defaults(spec);
    }

    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        OpenStackRules.validate(class, old)
    }

    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError> {
        OpenStackRules.validate_credentials(credentials)
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        OpenStackRules.scope(class)
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        OpenStackRules.canonical_id(provider_id)
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        OpenStackRules.volume_ids(volumes)
    }
}
