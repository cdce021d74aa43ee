//! The calls of one operation: one account, one deadline, the budgets of the account.
//!
//! EC2 counts calls by account, region and action. The rates are the ones it publishes; RunInstances and TerminateInstances have
//! their own.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use aws_sdk_ec2::config::SharedHttpClient;
use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};
use http::StatusCode;
use millwright_api::MachineCode;
use millwright_cloud_http::{BudgetKey, CallFailure, Caller, CloudAccess, Rate, Urgency};
use millwright_provider::{Credentials, Deadline, ProviderError};

use crate::account::Account;
use crate::accounts::Accounts;
use crate::api_error::ApiError;

/// What EC2 counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Calls that only look.
    Read,
    /// Calls that change something and have no count of their own.
    Write,
    /// RunInstances.
    Run,
    /// TerminateInstances.
    Terminate,
}

impl Class {
    pub(crate) const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Run, Self::Terminate];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Read => "ec2-read",
            Self::Write => "ec2-write",
            Self::Run => "ec2-run",
            Self::Terminate => "ec2-terminate",
        }
    }

    pub(crate) const fn rate(self) -> Rate {
        match self {
            Self::Read => Rate { per_second: 20.0, burst: 100 },
            Self::Write => Rate { per_second: 5.0, burst: 50 },
            Self::Run => Rate { per_second: 2.0, burst: 5 },
            Self::Terminate => Rate { per_second: 5.0, burst: 100 },
        }
    }
}

/// The calls of one operation.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) account: Arc<Account>,
    accounts: &'a Accounts,
    access: &'a CloudAccess,
    callers: [Caller<'a>; 4],
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        access: &'a CloudAccess,
        http: &SharedHttpClient,
        accounts: &'a Accounts,
        credentials: &Credentials,
        region: &str,
        deadline: Deadline,
    ) -> Result<Self, ProviderError> {
        let account = accounts.of(credentials, region, access, http)?;
        let callers = Class::ALL.map(|class| {
            let key = BudgetKey {
                cloud: "aws",
                credential: account.fingerprint,
                class: format!("{}:{region}", class.name()),
            };
            Caller::new("aws", access, access.budgets.of(&key, class.rate()), deadline)
        });
        Ok(Self { account, accounts, access, callers })
    }

    /// The client whose requests [`Self::call`] sends.
    pub(crate) fn ec2(&self) -> &aws_sdk_ec2::Client {
        &self.account.ec2
    }

    pub(crate) fn now(&self) -> Instant {
        self.access.transport.now()
    }

    /// Waits for its turn, sends, and waits no longer than the deadline.
    pub(crate) async fn call<O, E>(
        &self,
        operation: &'static str,
        class: Class,
        urgency: Urgency,
        send: impl Future<Output = Result<O, SdkError<E>>> + Send,
    ) -> Result<O, ApiError>
    where
        E: ProvideErrorMetadata + Error + Send + Sync + 'static,
    {
        let place = Class::ALL.iter().position(|known| *known == class).unwrap_or_default();
        let open = self.callers[place].turn(operation, urgency).await.map_err(ApiError::NoAnswer)?;
        let Ok(answered) = tokio::time::timeout(open.left, Box::pin(send)).await else {
            open.unanswered();
            return Err(ApiError::NoAnswer(CallFailure::TimedOut { what: operation.to_owned() }));
        };
        let error = match answered {
            Ok(answer) => {
                open.answered(StatusCode::OK, None);
                return Ok(answer);
            }
            Err(error) => ApiError::of(operation, &self.account.endpoint, &error, &self.account.redaction),
        };
        match &error {
            ApiError::Refused(refused) => {
                let status = StatusCode::from_u16(refused.http).unwrap_or(StatusCode::BAD_GATEWAY);
                if refused.code == "RequestLimitExceeded" || refused.code.contains("Throttl") {
                    open.throttled(status, refused.retry_after);
                } else {
                    open.answered(status, refused.retry_after);
                }
            }
            ApiError::NoAnswer(_) | ApiError::NotLoggedIn { .. } => open.unanswered(),
        }
        if error.machine_code() == Some(MachineCode::Unauthenticated) {
            self.accounts.forget(&self.account);
        }
        Err(error)
    }
}
