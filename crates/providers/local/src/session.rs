//! The calls of one operation: one endpoint, one token, one deadline.

use std::fmt;

use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request};
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, BudgetKey, Caller, CloudAccess, Pages, Rate, Redaction, Urgency};
use millwright_provider::{Credentials, Deadline, ProviderError};
use reqwest::Url;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::CallError;
use crate::operation::operation;
use crate::secrets;
use crate::validate::read_endpoint;
use crate::wire::{CloudCode, ErrorBody, ErrorDetail, Page};

/// Its name in metrics and budgets.
const CLOUD: &str = "local";
pub(crate) const PAGE_SIZE: usize = 500;
/// A message of the cloud is cut here: it ends up in a status.
const LONGEST_MESSAGE: usize = 500;

/// The simulated cloud bears a lot; what it does not, it says itself.
const RATE: Rate = Rate { per_second: 1000.0, burst: 1000 };

pub(crate) struct Session<'a> {
    caller: Caller<'a>,
    urgency: Urgency,
    endpoint: &'a str,
    token: &'a str,
    redaction: Redaction,
}

/// Filters of a list.
pub(crate) type Query<'a> = [(&'static str, &'a str)];

impl<'a> Session<'a> {
    pub(crate) fn new(
        access: &'a CloudAccess,
        urgency: Urgency,
        endpoint: &'a str,
        credentials: &'a Credentials,
        deadline: Deadline,
    ) -> Result<Self, ProviderError> {
        read_endpoint(endpoint).map_err(|problem| {
            ProviderError::new(MachineCode::InvalidArgument, format!("providerSpec.endpoint: {problem}"))
        })?;
        let token = credentials.text(secrets::TOKEN).filter(|token| secrets::is_sendable(token)).ok_or_else(|| {
            let message = "the class's Secret has no usable key token: it must be the simulated cloud's API token, in one line";
            ProviderError::new(MachineCode::Unauthenticated, message)
        })?;
        let endpoint = endpoint.trim_end_matches('/');
        let key =
            BudgetKey { cloud: CLOUD, credential: credentials.fingerprint(), class: endpoint.to_owned() };
        let caller = Caller::new(CLOUD, access, access.budgets.of(&key, RATE), deadline);
        Ok(Self { caller, urgency, endpoint, token, redaction: Redaction::of([token]) })
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
        let mut pages = Pages::default();
        loop {
            let mut query = query.to_vec();
            query.push(("pageSize", &page_size));
            query.extend(pages.token().map(|token| ("pageToken", token)));
            let page: Page<T> = self.exchange(Method::GET, path, &query, Vec::new()).await?;
            items.extend(page.items);
            let more = pages.turn(page.next_page_token).map_err(|circle| CallError::Strange {
                status: 200,
                reason: format!("GET {path}: {circle}"),
                retry_after: None,
            })?;
            if !more {
                return Ok(items);
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
        let operation = operation(&method, path);
        let request = self
            .request(method, path, query, body)
            .map_err(|reason| CallError::Unsendable { what: what.clone(), reason })?;
        let answer = self.caller.call(operation, self.urgency, request).await?;
        self.judge(&what, &answer)
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

    fn judge<T: DeserializeOwned>(&self, what: &str, answer: &Answer) -> Result<T, CallError> {
        let (status, retry_after) = (answer.status.as_u16(), answer.retry_after);
        let strange =
            |reason: String| CallError::Strange { status, reason: self.redact(&reason), retry_after };
        if answer.status.is_success() {
            return answer.json().map_err(|error| strange(format!("{what}: {error}")));
        }
        match answer.json() {
            Ok(ErrorBody { error: ErrorDetail { code, message, request_id } })
                if code != CloudCode::Unknown =>
            {
                Err(CallError::Refused { code, message: self.redact(&message), request_id, retry_after })
            }
            _ => Err(strange(format!("{what}: {}", String::from_utf8_lossy(&answer.body)))),
        }
    }

    /// A text of somebody else, fit for a status: short, and without the token should it echo it.
    fn redact(&self, text: &str) -> String {
        self.redaction.redact(text).chars().take(LONGEST_MESSAGE).collect()
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use async_trait::async_trait;
    use millwright_cloud_http::{Transport, TransportError};

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
        let access = CloudAccess::over(std::sync::Arc::new(Nowhere));
        let secret = [("token".to_owned(), b"hunter2".to_vec())];
        let credentials = Credentials::merge([secret.into()]);
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(1));
        let session =
            Session::new(&access, Urgency::Poll, "http://127.0.0.1:1", &credentials, deadline).unwrap();
        let request = session.request(Method::GET, "/v1/vms", &[], Vec::new()).expect("a request");
        assert_eq!(request.headers()[AUTHORIZATION], "Bearer hunter2");
        assert!(!format!("{request:?} {session:?}").contains("hunter2"), "{request:?}");
    }
}
