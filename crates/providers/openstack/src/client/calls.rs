//! The calls of one operation: one region, one deadline, a token that is renewed once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use http::header::{CONTENT_TYPE, IF_MATCH};
use http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, CallFailure, CloudAccess, Pages, Redaction, Urgency};
use millwright_provider::{Deadline, ProviderError, UserData};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cloud::Cloud;
use super::list_page::Page;
use super::refusal::{CLOUD, CallError, refusal, unreadable};
use super::service::Service;
use super::token::Token;

const TOKEN: HeaderName = HeaderName::from_static("x-auth-token");

/// Calls to the services of one region.
pub(crate) struct Calls<'a> {
    access: &'a CloudAccess,
    pub(crate) cloud: &'a Cloud,
    pub(crate) region: &'a str,
    deadline: Deadline,
    user_data: Option<&'a UserData>,
}

/// What a call is: its name in metrics, whose business it is, and where it goes below its service's address.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) operation: &'static str,
    pub(crate) urgency: Urgency,
    pub(crate) service: Service,
    pub(crate) path: &'a str,
}

/// What goes there.
struct Sent {
    method: Method,
    body: Option<Vec<u8>>,
    revision: Option<u64>,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(
        access: &'a CloudAccess,
        cloud: &'a Cloud,
        region: &'a str,
        deadline: Deadline,
    ) -> Self {
        Self { access, cloud, region, deadline, user_data: None }
    }

    /// With user data that no message may repeat.
    pub(crate) fn hiding(mut self, user_data: &'a UserData) -> Self {
        self.user_data = Some(user_data);
        self
    }

    pub(crate) fn now(&self) -> Instant {
        self.cloud.now()
    }

    /// Whether the region has that service.
    pub(crate) async fn has(&self, service: Service) -> Result<bool, CallError> {
        let token = self.cloud.token(self.access, self.deadline).await?;
        Ok(token.catalogue.address(service, self.region).is_some())
    }

    /// Id of the project in which everything is.
    pub(crate) async fn project(&self) -> Result<String, CallError> {
        Ok(self.cloud.token(self.access, self.deadline).await?.project.clone())
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T, CallError> {
        self.read(call.operation, &self.send(call, Method::GET, None).await?)
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        call: Call<'_>,
        body: &impl Serialize,
    ) -> Result<T, CallError> {
        self.read(call.operation, &self.send(call, Method::POST, Some(json(call.operation, body)?)).await?)
    }

    /// Changes something, unless somebody else changed it since that revision.
    pub(crate) async fn put_unless_changed(
        &self,
        call: Call<'_>,
        revision: Option<u64>,
        body: &impl Serialize,
    ) -> Result<(), CallError> {
        let request = Sent { method: Method::PUT, body: Some(json(call.operation, body)?), revision };
        self.exchange(call, &request).await.map(drop)
    }

    /// Something that is not there any more is deleted.
    pub(crate) async fn delete(&self, call: Call<'_>) -> Result<(), CallError> {
        match self.send(call, Method::DELETE, None).await {
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Ok(()),
        }
    }

    /// All pages of a list, or an error. The next page is asked for at the service's own address: a link would carry the token
    /// wherever it points to.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        call: Call<'_>,
        name: &'static str,
    ) -> Result<Vec<T>, CallError> {
        let mut pages = Pages::default();
        let mut items = Vec::new();
        loop {
            let path = pages.token().map(|marker| behind(call.path, marker));
            let path = path.as_deref().unwrap_or(call.path);
            let answer = self.send(Call { path, ..call }, Method::GET, None).await?;
            let page: Page<T> = self.read_page(call.operation, &answer, name)?;
            items.extend(page.items);
            let more = pages.turn(page.next).map_err(|error| {
                let message = format!("{CLOUD}: {}: {error}", call.operation);
                ProviderError::new(MachineCode::Unavailable, message)
            })?;
            if !more {
                return Ok(items);
            }
        }
    }

    /// All pages of a list whose pages do not say reliably whether another one follows: until one is empty. A marker that went
    /// meanwhile is an error that passes.
    pub(crate) async fn list_until_empty<T: DeserializeOwned>(
        &self,
        call: Call<'_>,
        name: &'static str,
        id: impl Fn(&T) -> String,
    ) -> Result<Vec<T>, CallError> {
        let mut items: Vec<T> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut path = call.path.to_owned();
        loop {
            let answer = self.send(Call { path: &path, ..call }, Method::GET, None).await;
            let answer = answer.map_err(|error| match error {
                CallError::Refused(refused) if refused.http == 400 && !items.is_empty() => {
                    CallError::Failed(refused.with_code(CLOUD, MachineCode::Unavailable))
                }
                other => other,
            })?;
            let page: Page<T> = self.read_page(call.operation, &answer, name)?;
            let Some(last) = page.items.last().map(&id) else { return Ok(items) };
            // A server that is being built may come again behind its own marker.
            let known = items.len();
            items.extend(page.items.into_iter().filter(|item| seen.insert(id(item))));
            if items.len() == known {
                return Ok(items);
            }
            path = behind(call.path, &last);
        }
    }

    async fn send(&self, call: Call<'_>, method: Method, body: Option<Vec<u8>>) -> Result<Answer, CallError> {
        self.exchange(call, &Sent { method, body, revision: None }).await
    }

    async fn exchange(&self, call: Call<'_>, sent: &Sent) -> Result<Answer, CallError> {
        let token = self.cloud.token(self.access, self.deadline).await?;
        let answer = self.send_with(&token, call, sent).await?;
        if answer.status != StatusCode::UNAUTHORIZED {
            return self.judge(call.operation, &token, answer);
        }
        // Tokens end early: by a revocation, or because a server forgot its keys. A refused call had no effect.
        self.cloud.refused(&token).await;
        let token = self.cloud.token(self.access, self.deadline).await?;
        let answer = self.send_with(&token, call, sent).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            self.cloud.refused(&token).await;
        }
        self.judge(call.operation, &token, answer)
    }

    async fn send_with(&self, token: &Arc<Token>, call: Call<'_>, sent: &Sent) -> Result<Answer, CallError> {
        let address = token.catalogue.address(call.service, self.region);
        let address = address.ok_or_else(|| self.not_in_catalogue(token, call))?;
        let mut request = Request::builder()
            .method(sent.method.clone())
            .uri(format!("{address}{}", call.path))
            .header(TOKEN, token.header.clone());
        if let Some((name, value)) = call.service.microversion() {
            request = request.header(name, value);
        }
        if sent.body.is_some() {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(revision) = sent.revision {
            request = request.header(IF_MATCH, format!("revision_number={revision}"));
        }
        let request = request
            .body(sent.body.clone().unwrap_or_default())
            .map_err(|error| unsendable(call.operation, &error))?;
        let caller = self.cloud.caller(self.access, call.service.budget(), self.deadline);
        let answer = caller.call(call.operation, call.urgency, request).await;
        answer.map_err(|failure| CallError::Failed(failure.of(CLOUD)))
    }

    fn not_in_catalogue(&self, token: &Token, call: Call<'_>) -> CallError {
        let kind = call.service.types()[0];
        let regions = token.catalogue.regions(call.service);
        let there =
            if regions.is_empty() { "in no region".to_owned() } else { format!("in {}", regions.join(", ")) };
        let message = format!(
            "{CLOUD}: the catalogue has no public endpoint of service {kind} in region {:?} (spec.region); it has it {there}",
            self.region
        );
        CallError::Failed(ProviderError::new(MachineCode::InvalidArgument, message))
    }

    fn judge(&self, operation: &'static str, token: &Token, answer: Answer) -> Result<Answer, CallError> {
        if answer.status.is_success() {
            Ok(answer)
        } else {
            Err(refusal(operation, &answer, &self.redaction(Some(token))))
        }
    }

    fn read<T: DeserializeOwned>(&self, operation: &'static str, answer: &Answer) -> Result<T, CallError> {
        answer.json().map_err(|error| unreadable(operation, answer, &error, &self.redaction(None)))
    }

    fn read_page<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        answer: &Answer,
        name: &str,
    ) -> Result<Page<T>, CallError> {
        Page::read(answer, name).map_err(|error| unreadable(operation, answer, &error, &self.redaction(None)))
    }

    fn redaction(&self, token: Option<&Token>) -> Redaction {
        let token = token.and_then(|token| token.header.to_str().ok());
        let user_data = self.user_data.map(UserData::expose);
        Redaction::of(self.cloud.secrets().chain(token).chain(user_data))
    }
}

/// The path of the page behind a marker.
fn behind(path: &str, marker: &str) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}marker={}", escaped(marker))
}

/// A text as a part of a query.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing into a String can not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

pub(crate) fn unsendable(operation: &'static str, reason: &http::Error) -> CallError {
    let failure = CallFailure::Unsendable { what: operation.to_owned(), reason: reason.to_string() };
    CallError::Failed(failure.of(CLOUD))
}

fn json(operation: &'static str, body: &impl Serialize) -> Result<Vec<u8>, CallError> {
    serde_json::to_vec(body).map_err(|error| {
        let failure = CallFailure::Unsendable { what: operation.to_owned(), reason: error.to_string() };
        CallError::Failed(failure.of(CLOUD))
    })
}
