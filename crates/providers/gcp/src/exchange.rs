//! Asks for a token: with a service account's assertion, or with the token of a workload identity.
//!
//! Where to ask is known beforehand and never taken from the Secret; an operator can override it (`gcp.token`).

use std::path::Path;
use std::time::Duration;

use form_urlencoded::Serializer;
use http::Request;
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, Caller, CloudError, Endpoint, Endpoints, Redaction, Urgency};
use millwright_provider::ProviderError;
use serde::Deserialize;
use serde_json::json;

use crate::account::{Account, ExternalAccount, STS_URL, ServiceAccount, impersonation_url};
use crate::errors::{CLOUD, ERRORS};
use crate::{assertion, clock};

/// What tokens are good for.
pub(crate) const SCOPE: &str = "https://www.googleapis.com/auth/compute";
const IMPERSONATION_LIFETIME: Duration = Duration::from_secs(3600);
/// A token of which nobody says how long it is good.
const SHORT_LIFETIME: Duration = Duration::from_secs(300);

/// A token, and for how long it is good.
pub(crate) struct Given {
    pub(crate) token: String,
    pub(crate) good_for: Duration,
}

#[derive(Deserialize)]
struct TokenBody {
    access_token: String,
    expires_in: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImpersonatedBody {
    access_token: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusedBody {
    error: serde_json::Value,
    error_description: String,
}

/// A new token for that account.
pub(crate) async fn token(
    caller: &Caller<'_>,
    endpoints: &Endpoints,
    account: &Account,
    token_file: &Path,
    urgency: Urgency,
) -> Result<Given, ProviderError> {
    let asked = Asked { caller, endpoints, urgency };
    match account {
        Account::ServiceAccount(account) => asked.with_assertion(account).await,
        Account::ExternalAccount(account) => asked.with_identity(account, token_file).await,
    }
}

struct Asked<'a> {
    caller: &'a Caller<'a>,
    endpoints: &'a Endpoints,
    urgency: Urgency,
}

impl Asked<'_> {
    async fn with_assertion(&self, account: &ServiceAccount) -> Result<Given, ProviderError> {
        let assertion = assertion::of(account, clock::unix_seconds())
            .map_err(|problem| unusable(format!("key serviceAccountJSON: {problem}")))?;
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
            .append_pair("assertion", &assertion)
            .finish();
        let hidden = Redaction::of([assertion.as_str()]);
        let body: TokenBody = self.post("token", account.token_uri, FORM, form, None, &hidden).await?;
        Ok(given(body))
    }

    async fn with_identity(
        &self,
        account: &ExternalAccount,
        token_file: &Path,
    ) -> Result<Given, ProviderError> {
        let file = tokio::fs::read_to_string(token_file).await.map_err(|error| {
            let path = token_file.display();
            unusable(format!(
                "the token of the workload identity can not be read from {path}: {error}; mount it there"
            ))
        })?;
        let subject = file.trim();
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
            .append_pair("audience", &account.audience)
            .append_pair("scope", "https://www.googleapis.com/auth/cloud-platform")
            .append_pair("requested_token_type", "urn:ietf:params:oauth:token-type:access_token")
            .append_pair("subject_token", subject)
            .append_pair("subject_token_type", "urn:ietf:params:oauth:token-type:jwt")
            .finish();
        let hidden = Redaction::of([subject]);
        let body: TokenBody = self.post("sts.token", STS_URL, FORM, form, None, &hidden).await?;
        let Some(email) = &account.impersonated else { return Ok(given(body)) };
        let ask = json!({ "scope": [SCOPE], "lifetime": format!("{}s", IMPERSONATION_LIFETIME.as_secs()) });
        let hidden = Redaction::of([subject, body.access_token.as_str()]);
        let url = impersonation_url(email);
        let body: ImpersonatedBody = self
            .post("generateAccessToken", &url, JSON, ask.to_string(), Some(&body.access_token), &hidden)
            .await?;
        Ok(Given { token: body.access_token, good_for: IMPERSONATION_LIFETIME })
    }

    async fn post<T: for<'de> Deserialize<'de>>(
        &self,
        operation: &'static str,
        usual: &str,
        kind: &str,
        body: String,
        bearer: Option<&str>,
        hidden: &Redaction,
    ) -> Result<T, ProviderError> {
        let mut request = Request::post(self.url(usual)).header(http::header::CONTENT_TYPE, kind);
        if let Some(token) = bearer {
            request = request.header(http::header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(body.into_bytes());
        let request = request.map_err(|_| unusable("the token request can not be written".to_owned()))?;
        let answer =
            self.caller.call(operation, self.urgency, request).await.map_err(|failure| failure.of(CLOUD))?;
        if answer.status.is_success() {
            return answer.json().map_err(|_| {
                let message = format!("{CLOUD}: {operation}: the answer is not one of a token server");
                ProviderError::new(MachineCode::Unavailable, message)
            });
        }
        Err(refused(operation, &answer, hidden))
    }

    /// The usual address, or the same path at the place that the operator names.
    fn url(&self, usual: &str) -> String {
        let path = usual.splitn(4, '/').nth(3).unwrap_or_default();
        self.endpoints
            .get(Endpoint::GcpToken)
            .map_or_else(|| usual.to_owned(), |base| format!("{base}/{path}"))
    }
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

fn given(body: TokenBody) -> Given {
    let good_for = body.expires_in.map_or(SHORT_LIFETIME, Duration::from_secs);
    Given { token: body.access_token, good_for }
}

/// Token servers say `invalid_grant` of everything that is wrong with an account, with status 400.
fn refused(operation: &'static str, answer: &Answer, hidden: &Redaction) -> ProviderError {
    let body: RefusedBody = answer.json().unwrap_or_default();
    let text = |pointer: &str| body.error.pointer(pointer).and_then(|text| text.as_str()).unwrap_or_default();
    let (code, message) = match body.error.as_str() {
        Some(code) => (code, body.error_description.as_str()),
        None => (text("/status"), text("/message")),
    };
    let error = CloudError {
        operation,
        http: answer.status.as_u16(),
        code: hidden.redact(code),
        message: hidden.redact(message),
        request_id: answer.request_id().map(str::to_owned),
        retry_after: answer.retry_after,
    };
    let made = error.of(CLOUD, &ERRORS);
    match made.code {
        // No such address, no such account: either way nobody is who the Secret says.
        MachineCode::NotFound => error.with_code(CLOUD, MachineCode::Unauthenticated),
        _ => made,
    }
}

fn unusable(message: String) -> ProviderError {
    ProviderError::new(MachineCode::Unauthenticated, format!("{CLOUD}: {message}"))
}
