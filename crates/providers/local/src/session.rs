//! The calls of one operation: one endpoint, one token, one deadline.

use std::fmt;
use std::time::{Duration, Instant};

use millwright_api::MachineCode;
use millwright_provider::{Credentials, Deadline, ProviderError};
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::CallError;
use crate::secrets;
use crate::spec::Spec;
use crate::validate::read_endpoint;
use crate::wire::{CloudCode, ErrorBody, ErrorDetail, Page};

pub(crate) const PAGE_SIZE: usize = 500;
/// A message of the cloud is cut here: it ends up in a status.
const LONGEST_MESSAGE: usize = 500;

pub(crate) struct Session<'a> {
    client: &'a Client,
    endpoint: &'a str,
    token: &'a str,
    deadline: Deadline,
}

/// Filters of a list.
pub(crate) type Query<'a> = [(&'static str, &'a str)];

impl<'a> Session<'a> {
    pub(crate) fn new(
        client: &'a Client,
        spec: &'a Spec,
        credentials: &'a Credentials,
        deadline: Deadline,
    ) -> Result<Self, ProviderError> {
        read_endpoint(&spec.endpoint).map_err(|problem| {
            ProviderError::new(MachineCode::InvalidArgument, format!("providerSpec.endpoint: {problem}"))
        })?;
        let token = credentials.text(secrets::TOKEN).filter(|token| secrets::is_sendable(token)).ok_or_else(|| {
            let message = "the class's Secret has no usable key token: it must be the simulated cloud's API token, in one line";
            ProviderError::new(MachineCode::Unauthenticated, message)
        })?;
        Ok(Self { client, endpoint: spec.endpoint.trim_end_matches('/'), token, deadline })
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        self.exchange(Method::GET, path, |request| request).await
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, CallError> {
        self.exchange(Method::POST, path, |request| request.json(body)).await
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        self.exchange(Method::DELETE, path, |request| request).await
    }

    /// All pages of a list, or an error.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &Query<'_>,
    ) -> Result<Vec<T>, CallError> {
        let page_size = PAGE_SIZE.to_string();
        let mut items = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let page: Page<T> = self
                .exchange(Method::GET, path, |request| {
                    let token = token.as_deref().map(|token| ("pageToken", token));
                    request.query(query).query(&[("pageSize", page_size.as_str())]).query(&token.as_slice())
                })
                .await?;
            items.extend(page.items);
            match page.next_page_token {
                None => return Ok(items),
                Some(next) if token.as_ref() == Some(&next) => {
                    let reason = format!("GET {path}: the same page token twice");
                    return Err(CallError::Strange { status: 200, reason, retry_after: None });
                }
                Some(next) => token = Some(next),
            }
        }
    }

    async fn exchange<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        fill: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<T, CallError> {
        let what = format!("{method} {path}");
        let left = self.deadline.left(Instant::now());
        if left.is_zero() {
            return Err(CallError::TimedOut { what });
        }
        let request = self.client.request(method, format!("{}{path}", self.endpoint)).bearer_auth(self.token);
        let answered = match fill(request).timeout(left).send().await {
            Ok(response) => read(response).await,
            Err(error) => Err(error),
        };
        let answer = answered.map_err(|error| self.failed(&what, error))?;
        tracing::trace!(call = %what, status = answer.status, "simulated cloud answered");
        self.judge(&what, answer)
    }

    fn failed(&self, what: &str, error: reqwest::Error) -> CallError {
        // A connection that is not made within its own shorter time is no passed deadline.
        if error.is_timeout() && !error.is_connect() {
            return CallError::TimedOut { what: what.to_owned() };
        }
        CallError::Unreachable { endpoint: self.endpoint.to_owned(), source: error.without_url() }
    }

    fn judge<T: DeserializeOwned>(&self, what: &str, answer: Answer) -> Result<T, CallError> {
        let Answer { status, retry_after, body } = answer;
        let strange =
            |reason: String| CallError::Strange { status, reason: self.redact(&reason), retry_after };
        if (200..300).contains(&status) {
            return serde_json::from_slice(&body).map_err(|error| strange(format!("{what}: {error}")));
        }
        match serde_json::from_slice(&body) {
            Ok(ErrorBody { error: ErrorDetail { code, message, request_id } })
                if code != CloudCode::Unknown =>
            {
                Err(CallError::Refused { code, message: self.redact(&message), request_id, retry_after })
            }
            _ => Err(strange(format!("{what}: {}", String::from_utf8_lossy(&body)))),
        }
    }

    /// A text of somebody else, fit for a status: short, and without the token should it echo it.
    fn redact(&self, text: &str) -> String {
        text.replace(self.token, "<redacted>").chars().take(LONGEST_MESSAGE).collect()
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

struct Answer {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

async fn read(response: Response) -> Result<Answer, reqwest::Error> {
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    Ok(Answer {
        status: response.status().as_u16(),
        retry_after: retry_after.map(Duration::from_secs),
        body: response.bytes().await?.to_vec(),
    })
}
