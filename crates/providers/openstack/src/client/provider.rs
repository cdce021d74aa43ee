//! The provider: the offline rules, and each call handed to its verb.

use std::sync::Arc;

use async_trait::async_trait;
use millwright_api::MachineCode;
use millwright_cloud_http::CloudAccess;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, FieldError,
    FieldErrorKind, Instance, Listed, Provider, ProviderError, SpecRules, Target, UserData, WithRules,
};
use tokio::time::timeout_at;

use super::calls::Calls;
use super::clouds::Clouds;
use super::refusal::CLOUD;
use super::{create, delete, initialize, list, status};
use crate::home::Home;
use crate::rules::OpenStackRules;
use crate::spec::Spec;
use crate::{rule_list, scope};

/// Provider `OpenStack`.
#[derive(Clone, Debug)]
pub struct OpenStackProvider {
    access: CloudAccess,
    clouds: Arc<Clouds>,
}

impl OpenStackProvider {
    /// A provider that calls with what the process lends it.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self { access, clouds: Arc::default() }
    }

    /// Awaits an operation until its deadline: one that waits for another's list has no call of its own that would end.
    async fn judged<T>(
        &self,
        credentials: &Credentials,
        deadline: Deadline,
        operation: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let outcome = timeout_at(deadline.instant().into(), Box::pin(operation)).await.unwrap_or_else(|_| {
            let message = format!("{CLOUD}: no answer in time; it may have had its effect");
            Err(ProviderError::new(MachineCode::DeadlineExceeded, message))
        });
        if outcome.as_ref().is_err_and(|error| error.code == MachineCode::Unauthenticated) {
            self.clouds.forget(credentials);
        }
        outcome
    }
}

#[async_trait]
impl Provider for OpenStackProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, scope::of(&class)?);
        let cloud = self.clouds.of(&self.access, credentials)?;
        let calls = Calls::new(&self.access, &cloud, &spec.home.region, deadline);
        self.judged(credentials, deadline, status::status(&calls, &spec, machine, &scope)).await
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, scope::of(&class)?);
        let cloud = self.clouds.of(&self.access, credentials)?;
        let calls = Calls::new(&self.access, &cloud, &spec.home.region, deadline).hiding(user_data);
        let create = create::create(&calls, &spec, machine, &scope, user_data);
        self.judged(credentials, deadline, create).await
    }

    async fn initialize(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, scope::of(&class)?);
        let cloud = self.clouds.of(&self.access, credentials)?;
        let calls = Calls::new(&self.access, &cloud, &spec.home.region, deadline);
        self.judged(credentials, deadline, initialize::initialize(&calls, &spec, machine, &scope)).await
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = request.target;
        let (home, scope) = (Home::of(&class)?, scope::of(&class)?);
        let cloud = self.clouds.of(&self.access, credentials)?;
        let calls = Calls::new(&self.access, &cloud, &home.region, deadline);
        self.judged(credentials, deadline, delete::delete(&calls, &home, machine, &scope)).await
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let (home, scope) = (Home::of(&class)?, scope::of(&class)?);
        let cloud = self.clouds.of(&self.access, credentials)?;
        let calls = Calls::new(&self.access, &cloud, &home.region, deadline);
        self.judged(credentials, deadline, list::list(&calls, home.id_form, &scope)).await
    }
}

impl WithRules for OpenStackProvider {
    fn offline(&self) -> &dyn SpecRules {
        &OpenStackRules
    }

    fn unreadable(&self, class: &ClassView<'_>) -> Option<FieldError> {
        let error = Spec::of(class).err()?;
        Some(FieldError::new(rule_list::SPEC.id, "providerSpec", FieldErrorKind::Invalid, error.message))
    }
}
