//! A token of Keystone: used again until shortly before it ends.

use std::time::{Duration, Instant};

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, StatusCode};
use jiff::Timestamp;
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, Caller, Redaction, Urgency};
use serde::Deserialize;

use super::catalogue::Catalogue;
use super::identity::Identity;
use super::refusal::{CLOUD, CallError, refusal, unreadable};

/// So long before its end a token is not used any more: a call that begins with it may take so long.
const MARGIN: Duration = Duration::from_secs(120);
const OPERATION: &str = "auth.tokens.create";

/// A right to call, with the places where.
#[derive(Debug)]
pub(crate) struct Token {
    /// Marked sensitive: whoever prints it does not print it.
    pub(crate) header: HeaderValue,
    pub(crate) catalogue: Catalogue,
    /// Id of the project.
    pub(crate) project: String,
    good_until: Instant,
}

#[derive(Deserialize)]
struct Body {
    token: Written,
}

#[derive(Deserialize)]
struct Written {
    expires_at: Timestamp,
    issued_at: Timestamp,
    #[serde(default)]
    catalog: Catalogue,
    project: Option<Project>,
}

#[derive(Deserialize)]
struct Project {
    id: String,
}

impl Token {
    pub(crate) fn is_good_at(&self, now: Instant) -> bool {
        now < self.good_until
    }
}

/// Asks Keystone for a token; `now` is when it is asked.
pub(crate) async fn fetch(
    caller: &Caller<'_>,
    identity: &Identity,
    now: Instant,
    redaction: &Redaction,
) -> Result<Token, CallError> {
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("{}/v3/auth/tokens", identity.keystone))
        .header(CONTENT_TYPE, "application/json")
        .body(identity.request.to_string().into_bytes())
        .map_err(|error| super::calls::unsendable(OPERATION, &error))?;
    // Without a token not even a deletion goes on.
    let answer = caller.call(OPERATION, Urgency::Delete, request).await;
    let answer = answer.map_err(|failure| CallError::Failed(failure.of(CLOUD)))?;
    if answer.status != StatusCode::CREATED {
        return Err(refused(refusal(OPERATION, &answer, redaction)));
    }
    read(&answer, now).map_err(|error| unreadable(OPERATION, &answer, &error, redaction))
}

/// Keystone says of an application credential that it does not know that it is not found. Nobody may take that for a VM that is gone.
fn refused(error: CallError) -> CallError {
    match error {
        CallError::Refused(refused) if refused.http == StatusCode::NOT_FOUND.as_u16() => {
            CallError::Failed(refused.with_code(CLOUD, MachineCode::Unauthenticated))
        }
        other => other,
    }
}

fn read(answer: &Answer, now: Instant) -> Result<Token, serde_json::Error> {
    let Body { token } = answer.json()?;
    let header = answer.headers.get("x-subject-token").cloned();
    let mut header =
        header.ok_or_else(|| <serde_json::Error as serde::de::Error>::custom("it has no X-Subject-Token"))?;
    header.set_sensitive(true);
    // By the cloud's own clock: how long it is good, not until when.
    let life = Duration::try_from(token.expires_at.duration_since(token.issued_at)).unwrap_or_default();
    Ok(Token {
        header,
        catalogue: token.catalog,
        project: token.project.map(|project| project.id).unwrap_or_default(),
        good_until: now + life.saturating_sub(MARGIN),
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_credential_that_keystone_does_not_know_is_never_a_vm_that_is_gone() {
        let body = json!({ "error": { "code": 404, "title": "Not Found", "message": "Could not find Application Credential: x." } });
        let body = body.to_string().into_bytes();
        let answer =
            Answer { status: StatusCode::NOT_FOUND, headers: HeaderMap::new(), body, retry_after: None };
        let error = refused(refusal(OPERATION, &answer, &Redaction::default()));
        assert!(!error.is_not_found());
        let error = millwright_provider::ProviderError::from(error);
        assert_eq!(error.code, MachineCode::Unauthenticated, "{error}");
    }

    #[test]
    fn a_token_is_good_until_shortly_before_its_end() {
        let body = json!({ "token": { "issued_at": "2026-01-01T00:00:00.000000Z", "expires_at": "2026-01-01T01:00:00.000000Z" } });
        let mut headers = HeaderMap::new();
        headers.insert("x-subject-token", "hush-hush".parse().unwrap());
        let body = body.to_string().into_bytes();
        let answer = Answer { status: StatusCode::CREATED, headers, body, retry_after: None };
        let now = Instant::now();
        let token = read(&answer, now).unwrap();
        assert!(token.is_good_at(now + Duration::from_secs(3479)));
        assert!(!token.is_good_at(now + Duration::from_secs(3480)));
        assert!(!format!("{token:?}").contains("hush"));
    }
}
