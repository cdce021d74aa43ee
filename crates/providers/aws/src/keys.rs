//! Keys with which calls are signed: those of a Secret, or of a session that a role gives for them or for a token.
//!
//! The SDK asks when it needs some, keeps them and asks again before they end; the token's file is read anew each time.

use std::fmt;

use aws_config::imds::credentials::ImdsCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_credential_types::Credentials as Keys;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider, future};
use aws_sdk_ec2::config::retry::RetryConfig;
use aws_sdk_ec2::config::{BehaviorVersion, Region, SharedHttpClient};
use aws_sdk_ec2::error::SdkError;
use aws_sdk_sts::types::Credentials as Session;
use millwright_api::MachineCode;
use millwright_cloud_http::{Called, CloudAccess, Endpoint, Redaction, Urgency};
use millwright_provider::{Credentials, ProviderError};

use crate::api_error::ApiError;
use crate::login::Login;

/// How a session shows up in CloudTrail.
const SESSION_NAME: &str = "millwright";

/// No session could be had. Its texts hold no credential.
#[derive(Debug)]
pub(crate) struct LoginRefused {
    pub(crate) code: MachineCode,
    pub(crate) message: String,
}

impl fmt::Display for LoginRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LoginRefused {}

/// What signs the calls of a Secret in a region.
pub(crate) fn of(
    credentials: &Credentials,
    region: &str,
    access: &CloudAccess,
    http: &SharedHttpClient,
) -> Result<SharedCredentialsProvider, ProviderError> {
    let login = Login::of(credentials).map_err(|mistake| {
        let message = format!("AWS: the class's Secret: {} {}", mistake.key, mistake.detail);
        ProviderError::new(MachineCode::Unauthenticated, message)
    })?;
    let keys = |id: &str, secret: &str| Keys::new(id, secret, None, None, "secret");
    Ok(match login {
        Login::Keys(key) => SharedCredentialsProvider::new(keys(key.id, key.secret)),
        Login::AssumedRole { key, role, external_id } => {
            let trust = Trust::Keys { external_id: external_id.map(str::to_owned) };
            let redaction = Redaction::of([key.id, key.secret]);
            let signer = SharedCredentialsProvider::new(keys(key.id, key.secret));
            let sts = sts(region, access, http, Some(signer));
            SharedCredentialsProvider::new(Role {
                sts,
                access: access.clone(),
                role: role.to_owned(),
                trust,
                redaction,
            })
        }
        Login::WebIdentity { token_file, role } => {
            let trust = Trust::Token { file: token_file.to_owned() };
            let sts = sts(region, access, http, None);
            let redaction = Redaction::default();
            SharedCredentialsProvider::new(Role {
                sts,
                access: access.clone(),
                role: role.to_owned(),
                trust,
                redaction,
            })
        }
        Login::InstanceMetadata => SharedCredentialsProvider::new(metadata(access, http)?),
    })
}

/// Whoever writes a class's Secret must not be able to act as the controller's VM, unless the operator lends its identity.
fn metadata(access: &CloudAccess, http: &SharedHttpClient) -> Result<ImdsCredentialsProvider, ProviderError> {
    let Some(url) = access.endpoints.get(Endpoint::AwsMetadata) else {
        let message = "AWS: the Secret wants the role of the controller's VM (credentialSource: instanceMetadata), which the operator \
                       does not lend: start the controller with --cloud-endpoint aws.metadata=http://169.254.169.254, or put an \
                       access key into the Secret";
        return Err(ProviderError::new(MachineCode::FailedPrecondition, message));
    };
    let config = ProviderConfig::without_region().with_http_client(http.clone());
    let client = aws_config::imds::Client::builder().configure(&config).max_attempts(1);
    let client = client.endpoint(url).map_err(|error| {
        let message = format!("AWS: cloud endpoint {}: {error}", Endpoint::AwsMetadata.name());
        ProviderError::new(MachineCode::InvalidArgument, message)
    })?;
    Ok(ImdsCredentialsProvider::builder().configure(&config).imds_client(client.build()).build())
}

fn sts(
    region: &str,
    access: &CloudAccess,
    http: &SharedHttpClient,
    signer: Option<SharedCredentialsProvider>,
) -> aws_sdk_sts::Client {
    let mut config = aws_sdk_sts::Config::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::new(region.to_owned()))
        .http_client(http.clone())
        .retry_config(RetryConfig::disabled());
    config.set_endpoint_url(access.endpoints.get(Endpoint::AwsSts).map(str::to_owned));
    config.set_credentials_provider(signer);
    aws_sdk_sts::Client::from_conf(config.build())
}

/// A role that gives sessions.
struct Role {
    sts: aws_sdk_sts::Client,
    access: CloudAccess,
    role: String,
    trust: Trust,
    redaction: Redaction,
}

/// What the role trusts.
enum Trust {
    Keys { external_id: Option<String> },
    Token { file: String },
}

impl Role {
    async fn session(&self) -> Result<Keys, LoginRefused> {
        let (operation, began) = (self.trust.operation(), self.access.transport.now());
        let answer = match &self.trust {
            Trust::Keys { external_id } => {
                let request = self.sts.assume_role().role_arn(&self.role).role_session_name(SESSION_NAME);
                let answer = request.set_external_id(external_id.clone()).send().await;
                answer.map(|answer| answer.credentials).map_err(|error| self.refused(operation, &error))
            }
            Trust::Token { file } => {
                let token = token(file).await?;
                let redaction = Redaction::of([token.as_str()]);
                let request = self.sts.assume_role_with_web_identity().role_arn(&self.role);
                let answer = request.role_session_name(SESSION_NAME).web_identity_token(&token).send().await;
                answer.map(|answer| answer.credentials).map_err(|error| {
                    let refused = self.refused(operation, &error);
                    LoginRefused { message: redaction.redact(&refused.message), ..refused }
                })
            }
        };
        let took = self.access.transport.now().saturating_duration_since(began);
        self.access.journal.called(&Called {
            cloud: "aws",
            operation,
            urgency: Urgency::Poll,
            waited: std::time::Duration::ZERO,
            took,
            status: answer.as_ref().ok().map(|_| 200),
        });
        answer?.map(|session| keys_of(&session)).ok_or_else(|| LoginRefused {
            code: MachineCode::Unavailable,
            message: format!("{operation}: the answer has no session in it"),
        })
    }

    fn refused<E>(&self, operation: &'static str, error: &SdkError<E>) -> LoginRefused
    where
        E: aws_sdk_ec2::error::ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let error = ProviderError::from(ApiError::of(
            operation,
            "the security token service",
            error,
            &self.redaction,
        ));
        // A role that is not there is no VM that is not there.
        let code =
            if error.code == MachineCode::NotFound { MachineCode::Unauthenticated } else { error.code };
        let message = error.message.strip_prefix("AWS: ").unwrap_or(&error.message).to_owned();
        LoginRefused { code, message: format!("{message} (role {})", self.role) }
    }
}

impl Trust {
    fn operation(&self) -> &'static str {
        match self {
            Self::Keys { .. } => "AssumeRole",
            Self::Token { .. } => "AssumeRoleWithWebIdentity",
        }
    }
}

async fn token(file: &str) -> Result<String, LoginRefused> {
    let text = tokio::fs::read_to_string(file).await.map_err(|error| LoginRefused {
        code: MachineCode::Unauthenticated,
        message: format!(
            "workloadIdentityTokenFile {file}: {error}; is the token mounted into the controller?"
        ),
    })?;
    Ok(text.trim().to_owned())
}

fn keys_of(session: &Session) -> Keys {
    let expires = std::time::SystemTime::try_from(*session.expiration()).ok();
    let token = Some(session.session_token().to_owned());
    Keys::new(session.access_key_id(), session.secret_access_key(), token, expires, "role")
}

impl fmt::Debug for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Role").field("role", &self.role).finish_non_exhaustive()
    }
}

impl ProvideCredentials for Role {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(async move {
            self.session().await.map_err(CredentialsError::provider_error)
        })
    }
}

#[cfg(test)]
mod tests;
