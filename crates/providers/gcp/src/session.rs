//! The calls of one operation: one account, one token, one project, one deadline.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, StatusCode, header};
use millwright_api::MachineCode;
use millwright_cloud_http::{
    Answer, BudgetKey, Caller, CloudAccess, CloudError, Endpoint, Pages, Rate, Redaction, Urgency,
};
use millwright_provider::{Credentials, Deadline, ProviderError, UserData};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::errors::{CLOUD, CallError};
use crate::provider::Shared;
use crate::wire::{ErrorBody, Page};
use crate::{account, exchange};

const USUAL_PLACE: &str = "https://compute.googleapis.com/compute/v1";
/// Below half of the 1500 calls a minute that a project has of each group of methods, so that others can call too.
const COMPUTE_RATE: Rate = Rate { per_second: 10.0, burst: 60 };
const TOKEN_RATE: Rate = Rate { per_second: 2.0, burst: 10 };
/// How long nothing is asked when Compute Engine says that it was too much, and not for how long: it counts by the minute.
const PAUSE: Duration = Duration::from_secs(5);
/// The most that one page holds.
const PAGE: &str = "500";
/// Lists of more pages are of no cloud that is known.
const MOST_PAGES: usize = 1000;

/// Calls in one project with one token.
pub(crate) struct Session<'a> {
    caller: Caller<'a>,
    pub(crate) shared: &'a Shared,
    pub(crate) project: String,
    pub(crate) credential: u64,
    base: &'a str,
    authorization: header::HeaderValue,
    token: Arc<str>,
    user_data: Option<&'a UserData>,
}

/// A call: what it is called, and where it goes below the project.
pub(crate) struct Call<'a> {
    pub(crate) operation: &'static str,
    pub(crate) urgency: Urgency,
    pub(crate) method: Method,
    /// Below `projects/PROJECT/`; made of checked names only.
    pub(crate) path: String,
    pub(crate) query: &'a [(&'a str, &'a str)],
    pub(crate) body: Option<Value>,
}

impl<'a> Session<'a> {
    pub(crate) async fn open(
        access: &'a CloudAccess,
        shared: &'a Shared,
        project: Option<&str>,
        credentials: &Credentials,
        deadline: Deadline,
        urgency: Urgency,
    ) -> Result<Self, ProviderError> {
        let (account, own_project) = account::read(credentials).map_err(|problem| {
            let message = format!("{CLOUD}: Secret key {}: {}", problem.key(), problem.detail());
            ProviderError::new(MachineCode::Unauthenticated, message)
        })?;
        let credential = credentials.fingerprint();
        let caller = |class: &str, rate| {
            let key = BudgetKey { cloud: "gcp", credential, class: class.to_owned() };
            Caller::new("gcp", access, access.budgets.of(&key, rate), deadline)
        };
        let ask = || async {
            let caller = caller("token", TOKEN_RATE);
            exchange::token(&caller, &access.endpoints, &account, &shared.token_file, urgency).await
        };
        let token: Arc<str> = shared.tokens.of(credential, || access.transport.now(), ask).await?;
        let unusable = |_| {
            let message = format!("{CLOUD}: the token server gave a token that is no text for a header");
            ProviderError::new(MachineCode::Unavailable, message)
        };
        let mut authorization =
            header::HeaderValue::from_str(&format!("Bearer {token}")).map_err(unusable)?;
        authorization.set_sensitive(true);
        Ok(Self {
            caller: caller("compute", COMPUTE_RATE),
            shared,
            project: project.map_or(own_project, str::to_owned),
            credential,
            base: access.endpoints.or(Endpoint::GcpCompute, USUAL_PLACE),
            authorization,
            token,
            user_data: None,
        })
    }

    /// Calls in the project of a VM's id.
    pub(crate) fn in_project(mut self, project: &str) -> Self {
        project.clone_into(&mut self.project);
        self
    }

    /// With user data that no message may repeat: Compute Engine quotes what it refuses.
    pub(crate) fn hiding(mut self, user_data: &'a UserData) -> Self {
        self.user_data = Some(user_data);
        self
    }

    /// What the cloud said, without what must not be seen.
    pub(crate) fn redact(&self, message: &str) -> String {
        Redaction::of(self.user_data.map(UserData::expose).into_iter().chain([&*self.token])).redact(message)
    }

    pub(crate) fn now(&self) -> std::time::Instant {
        self.shared.now()
    }

    /// Looks at something.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        urgency: Urgency,
        path: String,
        query: &[(&str, &str)],
    ) -> Result<T, CallError> {
        self.call(Call { operation, urgency, method: Method::GET, path, query, body: None }).await
    }

    /// All pages of a list, or an error.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<T>, CallError> {
        let failed = |message: String| {
            let message = format!("{CLOUD}: {operation}: {message}");
            CallError::Failed(ProviderError::new(MachineCode::Unavailable, message))
        };
        let (mut pages, mut items) = (Pages::default(), Vec::new());
        for _ in 0..MOST_PAGES {
            let token = pages.token().map(str::to_owned);
            let mut query = query.to_vec();
            query.push(("maxResults", PAGE));
            query.extend(token.as_deref().map(|token| ("pageToken", token)));
            let page: Page<T> = self.get(operation, Urgency::Poll, path.to_owned(), &query).await?;
            if let Some(warning) = page.warning.filter(|warning| is_partial(&warning.code)) {
                return Err(failed(format!("the list is not complete ({})", warning.code)));
            }
            items.extend(page.items);
            if !pages.turn(page.next_page_token).map_err(|same| failed(same.to_string()))? {
                return Ok(items);
            }
        }
        Err(failed(format!("the list has more than {MOST_PAGES} pages")))
    }

    /// Makes a call; its answer must be `T`.
    pub(crate) async fn call<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T, CallError> {
        let Call { operation, urgency, method, path, query, body } = call;
        let answer = self.caller.call(operation, urgency, self.request(method, &path, query, body)?).await?;
        if answer.status.is_success() {
            return answer.json().map_err(|error| strange(operation, &answer, &error.to_string()));
        }
        Err(self.refused(operation, &answer))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<Value>,
    ) -> Result<Request<Vec<u8>>, CallError> {
        let mut uri = format!("{}/projects/{}/{path}", self.base, self.project);
        if !query.is_empty() {
            let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
            let _infallible = write!(uri, "?{query}");
        }
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .header(header::AUTHORIZATION, self.authorization.clone())
            .header(header::CONTENT_TYPE, "application/json");
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        request.body(body).map_err(|error| {
            let message = format!("{CLOUD}: no request can be made for {path}: {error}");
            CallError::Failed(ProviderError::new(MachineCode::InvalidArgument, message))
        })
    }

    fn refused(&self, operation: &'static str, answer: &Answer) -> CallError {
        if answer.status == StatusCode::UNAUTHORIZED {
            self.shared.tokens.forget(self.credential);
        }
        let body = answer.json::<ErrorBody>().ok().map(|body| body.error);
        let (code, message) = body.map_or_else(Default::default, |mut error| {
            (error.errors.pop().map(|error| error.reason).unwrap_or_default(), error.message)
        });
        if answer.status == StatusCode::NOT_FOUND && code.is_empty() {
            return strange(operation, answer, "it is not Compute Engine's");
        }
        // Compute Engine mostly says with 403 what others say with 429; of the latter the caller has heard.
        if answer.status == StatusCode::FORBIDDEN && code.to_lowercase().contains("ratelimit") {
            self.caller.throttled(operation, Some(answer.retry_after.unwrap_or(PAUSE)));
        }
        CallError::Refused(CloudError {
            operation,
            http: answer.status.as_u16(),
            code,
            message: self.redact(&message),
            request_id: answer.request_id().map(str::to_owned),
            retry_after: answer.retry_after,
        })
    }
}

/// A list that leaves things out says so in a warning, with status 200.
fn is_partial(warning: &str) -> bool {
    matches!(warning, "UNREACHABLE" | "PARTIAL_SUCCESS")
}

/// An answer that means nothing, least of all that something is not there. Its text is not repeated.
fn strange(operation: &str, answer: &Answer, reason: &str) -> CallError {
    let message = format!(
        "{CLOUD}: {operation}: the answer with HTTP status {} can not be read: {reason}",
        answer.status.as_u16()
    );
    CallError::Failed(ProviderError::new(MachineCode::Unavailable, message))
}
