//! The provider: the offline rules, and each call handed to its verb.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use aws_sdk_ec2::config::SharedHttpClient;
use aws_smithy_http_client::tls;
use millwright_api::MachineCode;
use millwright_cloud_http::CloudAccess;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Instance, Listed,
    Provider, ProviderError, SpecRules, Target, UserData, WithRules,
};

use crate::accounts::Accounts;
use crate::home::Home;
use crate::rules::AwsRules;
use crate::session::Session;
use crate::spec::Spec;
use crate::{create, delete, initialize, list, status};

/// Provider `AWS`.
#[derive(Clone)]
pub struct AwsProvider {
    access: CloudAccess,
    http: SharedHttpClient,
    accounts: Arc<Accounts>,
}

impl AwsProvider {
    /// A provider that calls by that access. Connections are the SDK's own; all accounts share them.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        let tls = tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring);
        let http = aws_smithy_http_client::Builder::new().tls_provider(tls).build_https();
        Self { access, http, accounts: Arc::default() }
    }

    fn session(
        &self,
        home: &Home,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Session<'_>, ProviderError> {
        Session::new(&self.access, &self.http, &self.accounts, credentials, &home.region, deadline)
    }

    /// Ends with the deadline whatever is waited for, also another caller's list.
    async fn within<T>(
        &self,
        deadline: Deadline,
        work: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let left = deadline.left(self.access.transport.now());
        tokio::time::timeout(left, Box::pin(work)).await.unwrap_or_else(|_| {
            let message = "AWS: no answer in time; what was asked may have had its effect";
            Err(ProviderError::new(MachineCode::DeadlineExceeded, message))
        })
    }
}

impl fmt::Debug for AwsProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwsProvider").field("endpoints", &self.access.endpoints).finish_non_exhaustive()
    }
}

#[async_trait]
impl Provider for AwsProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, AwsRules.scope(&class)?);
        let session = self.session(&spec.home, credentials, deadline)?;
        self.within(deadline, status::status(&session, &spec, machine, &scope)).await
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, AwsRules.scope(&class)?);
        let session = self.session(&spec.home, credentials, deadline)?;
        self.within(deadline, create::create(&session, &spec, machine, &scope, user_data)).await
    }

    async fn initialize(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (spec, scope) = (Spec::of(&class)?, AwsRules.scope(&class)?);
        let session = self.session(&spec.home, credentials, deadline)?;
        self.within(deadline, initialize::initialize(&session, &spec, machine, &scope)).await
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = request.target;
        let (home, scope) = (Home::of(&class)?, AwsRules.scope(&class)?);
        let market = Spec::of(&class).map(|spec| spec.market).ok();
        let session = self.session(&home, credentials, deadline)?;
        let keep = request.keep_volumes;
        let work = delete::delete(&session, &home, market.as_ref(), machine, &scope, keep);
        self.within(deadline, work).await
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let (home, scope) = (Home::of(&class)?, AwsRules.scope(&class)?);
        let session = self.session(&home, credentials, deadline)?;
        self.within(deadline, list::list(&session, &home, &scope)).await
    }
}

impl WithRules for AwsProvider {
    fn offline(&self) -> &dyn SpecRules {
        &AwsRules
    }
}
