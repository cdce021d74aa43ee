//! The calls of one operation: one endpoint, one token, one deadline.

use std::fmt;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Method, Request};
use millwright_api::MachineCode;
use millwright_provider::{Credentials, Deadline, ProviderError};
use reqwest::Url;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::CallError;
use crate::secrets;
use crate::spec::Spec;
use crate::transport::{Transport, TransportError};
use crate::validate::read_endpoint;
use crate::wire::{CloudCode, ErrorBody, ErrorDetail, Page};

pub(crate) const PAGE_SIZE: usize = 500;
/// A message of the cloud is cut here: it ends up in a status.
const LONGEST_MESSAGE: usize = 500;

pub(crate) struct Session<'a> {
    transport: &'a dyn Transport,
    endpoint: &'a str,
    token: &'a str,
    deadline: Deadline,
}

/// Filters of a list.
pub(crate) type Query<'a> = [(&'static str, &'a str)];

impl<'a> Session<'a> {
    pub(crate) fn new(
        transport: &'a dyn Transport,
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
        Ok(Self { transport, endpoint: spec.endpoint.trim_end_matches('/'), token, deadline })
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        self.exchange(Method::GET, path, &[], Vec::new()).await
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, CallError> {
        let body = serde_json::to_vec(body).map_err(|error| CallError::Unsendable {
            what: format!("POST {path}"),
            reason: error.to_string(),
        })?;
        self.exchange(Method::POST, path, &[], body).await
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        self.exchange(Method::DELETE, path, &[], Vec::new()).await
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
            let mut query = query.to_vec();
            query.push(("pageSize", &page_size));
            query.extend(token.as_deref().map(|token| ("pageToken", token)));
            let page: Page<T> = self.exchange(Method::GET, path, &query, Vec::new()).await?;
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
        query: &Query<'_>,
        body: Vec<u8>,
    ) -> Result<T, CallError> {
        let what = format!("{method} {path}");
        let left = self.deadline.left(self.transport.now());
        if left.is_zero() {
            return Err(CallError::TimedOut { what });
        }
        let request = self
            .request(method, path, query, body)
            .map_err(|reason| CallError::Unsendable { what: what.clone(), reason })?;
        let response = self.transport.exchange(request, left).await.map_err(|error| match error {
            TransportError::TimedOut => CallError::TimedOut { what: what.clone() },
            TransportError::Unreachable(source) => {
                CallError::Unreachable { endpoint: self.endpoint.to_owned(), source }
            }
        })?;
        let answer = Answer::of(response);
        tracing::trace!(call = %what, status = answer.status, "simulated cloud answered");
        self.judge(&what, answer)
    }

    /// The error says nothing of the token: a header's value is not repeated in it.
    fn request(
        &self,
        method: Method,
        path: &str,
        query: &Query<'_>,
        body: Vec<u8>,
    ) -> Result<Request<Vec<u8>>, String> {
        let mut url = Url::parse(&format!("{}{path}", self.endpoint)).map_err(|error| error.to_string())?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut bearer =
            HeaderValue::try_from(format!("Bearer {}", self.token)).map_err(|error| error.to_string())?;
        // Whoever prints the request does not print it.
        bearer.set_sensitive(true);
        let request = Request::builder().method(method).uri(url.as_str()).header(AUTHORIZATION, bearer);
        let request =
            if body.is_empty() { request } else { request.header(CONTENT_TYPE, "application/json") };
        request.body(body).map_err(|error| error.to_string())
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

impl Answer {
    fn of(response: http::Response<Vec<u8>>) -> Self {
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Self {
            status: response.status().as_u16(),
            retry_after: retry_after.map(Duration::from_secs),
            body: response.into_body(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use async_trait::async_trait;

    use super::*;

    #[derive(Debug)]
    struct Nowhere;

    #[async_trait]
    impl Transport for Nowhere {
        fn now(&self) -> Instant {
            Instant::now()
        }

        async fn exchange(
            &self,
            _: Request<Vec<u8>>,
            _: Duration,
        ) -> Result<http::Response<Vec<u8>>, TransportError> {
            Err(TransportError::TimedOut)
        }
    }

    #[test]
    fn a_request_that_is_printed_shows_no_token() {
        let session = Session {
            transport: &Nowhere,
            endpoint: "http://127.0.0.1:1",
            token: "hunter2",
            deadline: Deadline::after(Instant::now(), Duration::from_secs(1)),
        };
        let request = session.request(Method::GET, "/v1/vms", &[], Vec::new()).expect("a request");
        assert_eq!(request.headers()[AUTHORIZATION], "Bearer hunter2");
        assert!(!format!("{request:?}").contains("hunter2"), "{request:?}");
    }
}
