//! The provider: the offline rules, and each call handed to its verb.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use millwright_cloud_http::{CloudAccess, Transport, Urgency};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, FieldError,
    FieldErrorKind, Instance, Listed, Provider, ProviderError, SpecRules, Target, UserData, WithRules,
};

use crate::account::TOKEN_FILE;
use crate::create::Creation;
use crate::delete::Deletion;
use crate::home::Home;
use crate::provider_id::VmPlace;
use crate::rules::GcpRules;
use crate::session::Session;
use crate::spec::Spec;
use crate::tokens::Tokens;
use crate::zone_lists::ZoneLists;
use crate::{kubermatic, list, rule_list, scope, status};

/// Provider `GCP`: Google Compute Engine. Clones share tokens and lists.
#[derive(Clone, Debug)]
pub struct GcpProvider {
    access: CloudAccess,
    shared: Arc<Shared>,
}

/// What all calls share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) tokens: Tokens,
    pub(crate) lists: ZoneLists,
    pub(crate) token_file: PathBuf,
    transport: Arc<dyn Transport>,
}

impl Shared {
    pub(crate) fn now(&self) -> Instant {
        self.transport.now()
    }
}

impl GcpProvider {
    /// A provider that calls by that access.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self::with_token_file(access, PathBuf::from(TOKEN_FILE))
    }

    /// A provider that finds the token of workload identities elsewhere than where Gardener mounts it. Only who starts the
    /// process may say so; a Secret can not.
    #[must_use]
    pub fn with_token_file(access: CloudAccess, token_file: PathBuf) -> Self {
        let transport = access.transport.clone();
        let shared = Shared { tokens: Tokens::default(), lists: ZoneLists::default(), token_file, transport };
        Self { access, shared: Arc::new(shared) }
    }

    async fn session(
        &self,
        home: &Home,
        credentials: &Credentials,
        deadline: Deadline,
        urgency: Urgency,
    ) -> Result<Session<'_>, ProviderError> {
        let project = home.project.as_deref();
        Session::open(&self.access, &self.shared, project, credentials, deadline, urgency).await
    }

    /// A session in the project that the machine's id names, if it has one.
    async fn session_of(
        &self,
        home: &Home,
        target: &Target<'_>,
        urgency: Urgency,
    ) -> Result<Session<'_>, ProviderError> {
        let place = target.machine.provider_id.as_deref().map(VmPlace::of).transpose()?;
        let session = self.session(home, target.credentials, target.deadline, urgency).await?;
        Ok(match place {
            Some(place) => session.in_project(place.project),
            None => session,
        })
    }
}

#[async_trait]
impl Provider for GcpProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let (home, scope) = (Home::of(&target.class)?, scope::of(&target.class)?);
        let session = self.session_of(&home, &target, Urgency::Poll).await?;
        status::status(&session, &home, target.machine, &scope).await
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (mut spec, scope) = (Spec::of(&class)?, scope::of(&class)?);
        kubermatic::name_caller(&mut spec, credentials)?;
        let session =
            self.session(&spec.home, credentials, deadline, Urgency::Create).await?.hiding(user_data);
        let creation = Creation { session: &session, spec: &spec, machine, scope: &scope };
        Box::pin(creation.run(user_data)).await
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let DeleteRequest { target, keep_volumes } = request;
        let (home, scope) = (Home::of(&target.class)?, scope::of(&target.class)?);
        let session = self.session_of(&home, &target, Urgency::Delete).await?;
        let machine = target.machine;
        let deletion = Deletion { session: &session, home: &home, machine, scope: &scope, keep_volumes };
        Box::pin(deletion.run()).await
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let scope = scope::of(&class)?;
        let home = Home::of(&class)?;
        let session = self.session(&home, credentials, deadline, Urgency::Poll).await?;
        list::list(&session, &home, &scope).await
    }
}

impl WithRules for GcpProvider {
    fn offline(&self) -> &dyn SpecRules {
        &GcpRules
    }

    fn unreadable(&self, class: &ClassView<'_>) -> Option<FieldError> {
        let error = Spec::of(class).err()?;
        Some(FieldError::new(rule_list::SPEC.id, "providerSpec", FieldErrorKind::Invalid, error.message))
    }
}
