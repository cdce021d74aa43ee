//! The offline half of a provider: everything that can be said about a class without its cloud.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use serde_json::Value;

use crate::kubermatic::Vocabulary;
use crate::{ClassView, Credentials, FieldError, ProviderError, Rule, Scope, SecretKey};

/// Defaults, validation, schema and ids. Pure: no I/O, no clock, the same answer every time.
pub trait SpecRules: Send + Sync {
    /// Names of the provider in `MachineClass.provider`, compared without case. The first is the one to write.
    fn names(&self) -> &'static [&'static str];

    /// JSON Schema of the provider spec, for the webhook and the docs.
    fn schema(&self) -> Value;

    /// Every rule that `validate` and `validate_credentials` hold a class to, for the reference. Their ids begin with
    /// the provider's first name in lower case and `/`.
    fn rules(&self) -> &'static [Rule];

    /// Keys it reads from the class's Secrets.
    fn secret_keys(&self) -> &'static [SecretKey];

    /// Fills what was left out. Must leave every explicit value alone, add nothing inside a list that
    /// the user wrote, keep unknown fields, and be idempotent. A spec it can't read is left as it is.
    fn add_defaults(&self, spec: &mut Value);

    /// All mistakes the schema can't express, with paths that start at `providerSpec`. With `old`, also
    /// the fields that may not change. Never depends on the cloud.
    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError>;

    /// All mistakes in the credentials: keys missing or unusable. Messages name keys, never values.
    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError>;

    /// Cluster and role of a class.
    ///
    /// # Errors
    /// `InvalidArgument` when a tag is missing; a missing scope must never mean "everything".
    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError>;

    /// The one spelling of a provider id, so that ids from elsewhere can be compared.
    ///
    /// # Errors
    /// `InvalidArgument` when it is no id of this provider.
    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError>;

    /// Its words in Kubermatic's dialect; none when it speaks only Gardener's.
    fn kubermatic(&self) -> Option<&'static Vocabulary> {
        None
    }

    /// Ids of those volumes that are this cloud's; others are skipped.
    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String>;
}
