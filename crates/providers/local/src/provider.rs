//! The provider: the offline rules, and each call handed to its verb.

use std::sync::Arc;

use async_trait::async_trait;
use millwright_cloud_http::{CloudAccess, Transport, Urgency};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, FieldError,
    FieldErrorKind, Instance, Listed, Provider, ProviderError, SpecRules, Target, UserData, WithRules,
};

use crate::rules::LocalRules;
use crate::session::Session;
use crate::spec::Spec;
use crate::{create, delete, endpoint, list, rule_list, scope, status};

/// Provider `local`: the simulated cloud.
#[derive(Clone, Debug)]
pub struct LocalProvider {
    access: CloudAccess,
}

impl LocalProvider {
    /// A provider with what the process lends it. Where its cloud is, the class says.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self { access }
    }

    /// A provider whose calls go another way, with a budget of its own.
    pub fn over(transport: impl Transport + 'static) -> Self {
        Self::new(CloudAccess::over(Arc::new(transport)))
    }
}

#[async_trait]
impl Provider for LocalProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (endpoint, scope) = (endpoint::of(&class)?, scope::of(&class)?);
        let session = Session::new(&self.access, Urgency::Poll, &endpoint, credentials, deadline)?;
        status::status(&session, machine, &scope).await
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, scope::of(&class)?);
        let session = Session::new(&self.access, Urgency::Create, &spec.endpoint, credentials, deadline)?;
        create::create(&session, &spec, machine, &scope, user_data).await
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = request.target;
        let (endpoint, scope) = (endpoint::of(&class)?, scope::of(&class)?);
        let session = Session::new(&self.access, Urgency::Delete, &endpoint, credentials, deadline)?;
        delete::delete(&session, machine, &scope).await
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let (endpoint, scope) = (endpoint::of(&class)?, scope::of(&class)?);
        let session = Session::new(&self.access, Urgency::Poll, &endpoint, credentials, deadline)?;
        list::list(&session, &scope).await
    }
}

impl WithRules for LocalProvider {
    fn offline(&self) -> &dyn SpecRules {
        &LocalRules
    }

    fn unreadable(&self, class: &ClassView<'_>) -> Option<FieldError> {
        let error = Spec::of(class).err()?;
        Some(FieldError::new(rule_list::SPEC.id, "providerSpec", FieldErrorKind::Invalid, error.message))
    }
}
