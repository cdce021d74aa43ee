//! The provider: its offline half, and the calls.

use std::sync::Arc;

use async_trait::async_trait;
use millwright_api::MachineCode;
use millwright_cloud_http::{CloudAccess, Redaction};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, FieldError,
    FieldErrorKind, Instance, Listed, Provider, ProviderError, Scope, SpecRules, Target, UserData, WithRules,
};

use crate::account::{Account, Accounts};
use crate::belonging::{Belonging, Owner};
use crate::home::Home;
use crate::rules::AzureRules;
use crate::session::Session;
use crate::spec::Spec;
use crate::{create, delete, list, rule_list, status};

/// Provider `Azure`.
#[derive(Debug)]
pub struct AzureProvider {
    access: CloudAccess,
    accounts: Accounts,
}

impl AzureProvider {
    /// A provider that calls by what the process lends it.
    #[must_use]
    pub fn new(access: CloudAccess) -> Self {
        Self { access, accounts: Accounts::default() }
    }

    /// What a call works with; only a creation needs the rest of the class.
    fn desk(
        &self,
        class: &ClassView<'_>,
        credentials: &Credentials,
    ) -> Result<(Home, Scope, Arc<Account>), ProviderError> {
        let (home, scope) = (Home::of(class)?, self.scope(class)?);
        let account = self.accounts.of(credentials, home.cloud, &self.access)?;
        Ok((home, scope, account))
    }

    /// An error for the host: it shows no credential, and one that Azure refused is forgotten.
    fn told<T>(
        &self,
        outcome: Result<T, ProviderError>,
        account: &Account,
        credentials: &Credentials,
    ) -> Result<T, ProviderError> {
        outcome.map_err(|mut error| {
            if error.code == MachineCode::Unauthenticated {
                self.accounts.forget(credentials);
            }
            error.message = account.redaction.redact(&error.message);
            error
        })
    }
}

#[async_trait]
impl Provider for AzureProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (home, scope, account) = self.desk(&class, credentials)?;
        let session = Session::new(&self.access, &account, deadline, &home.resource_group);
        let owner = Owner { scope: &scope, machine, by: belonging(class.dialect) };
        self.told(status::status(&session, &home, &owner).await, &account, credentials)
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = target;
        let (home, scope, account) = self.desk(&class, credentials)?;
        let spec = Spec::of(&class)?;
        let session = Session::new(&self.access, &account, deadline, &home.resource_group);
        let owner = Owner { scope: &scope, machine, by: belonging(class.dialect) };
        let mut outcome = create::create(&session, &spec, &owner, user_data).await;
        if let Err(error) = &mut outcome {
            let text = user_data.expose();
            error.message = Redaction::of([text]).redact(&error.message);
        }
        self.told(outcome, &account, credentials)
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let Target { class, machine, credentials, deadline } = request.target;
        let (home, scope, account) = self.desk(&class, credentials)?;
        let session = Session::new(&self.access, &account, deadline, &home.resource_group);
        let owner = Owner { scope: &scope, machine, by: belonging(class.dialect) };
        let outcome = delete::delete(&session, &home, &owner, request.keep_volumes).await;
        self.told(outcome, &account, credentials)
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let (home, scope, account) = self.desk(&class, credentials)?;
        let session = Session::new(&self.access, &account, deadline, &home.resource_group);
        self.told(list::list(&session, &home, &scope).await, &account, credentials)
    }
}

/// VMs of Kubermatic's are known by their UID alone.
fn belonging(dialect: Dialect) -> Belonging {
    match dialect {
        Dialect::Gardener => Belonging::Scope,
        Dialect::Kubermatic => Belonging::ScopeOrUid,
    }
}

impl WithRules for AzureProvider {
    fn offline(&self) -> &dyn SpecRules {
        &AzureRules
    }

    fn unreadable(&self, class: &ClassView<'_>) -> Option<FieldError> {
        let error = Spec::of(class).err()?;
        Some(FieldError::new(rule_list::SPEC.id, "providerSpec", FieldErrorKind::Invalid, error.message))
    }
}
