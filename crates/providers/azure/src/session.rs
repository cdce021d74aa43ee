//! The calls of one operation: signed with the account's token, counted in its budgets, its refusals read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use millwright_api::MachineCode;
use millwright_cloud_http::{
    Answer, Budget, BudgetKey, Caller, CloudAccess, CloudError, Pages, Rate, Urgency,
};
use millwright_provider::{Deadline, ProviderError};
use serde::de::DeserializeOwned;

use crate::account::{Account, Lists, Token};
use crate::arm::{Kind, Place};
use crate::errors::{self, CLOUD, TABLE};
use crate::token::{self, Origin};
use crate::wire::Page;

/// Calls that Azure counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    ComputeWrite,
    ComputeRead,
    Network,
    Login,
}

impl Class {
    const fn name(self) -> &'static str {
        match self {
            Self::ComputeWrite => "compute-write",
            Self::ComputeRead => "compute-read",
            Self::Network => "network",
            Self::Login => "login",
        }
    }

    /// Half of what the vendor publishes, since other controllers call as the same client: Resource Manager gives a caller 10
    /// writes a second after a burst of 200 and 25 reads after 250; Compute takes 500 new VMs a minute and 300 lists.
    const fn rate(self) -> Rate {
        match self {
            Self::ComputeWrite => Rate { per_second: 4.0, burst: 100 },
            Self::ComputeRead => Rate { per_second: 2.5, burst: 125 },
            Self::Network => Rate { per_second: 5.0, burst: 100 },
            Self::Login => Rate { per_second: 1.0, burst: 20 },
        }
    }
}

/// How new a list must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// Begun after it was asked for.
    New,
    /// Begun a moment ago at most: enough to see how far something is.
    Recent,
}

/// Machines that wait for the same cloud ask at different moments; a list so old still answers them.
const RECENT: Duration = Duration::from_secs(4);

/// A request to Resource Manager.
pub(crate) struct Sent {
    pub(crate) operation: &'static str,
    pub(crate) class: Class,
    pub(crate) urgency: Urgency,
    pub(crate) method: Method,
    /// The path, with its query.
    pub(crate) path: String,
    pub(crate) body: Option<serde_json::Value>,
    pub(crate) if_none_match: bool,
}

impl Sent {
    pub(crate) fn new(
        operation: &'static str,
        class: Class,
        urgency: Urgency,
        method: Method,
        path: String,
    ) -> Self {
        Self { operation, class, urgency, method, path, body: None, if_none_match: false }
    }
}

/// Why a call brought nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Azure refused it.
    Refused(CloudError),
    /// There was no answer, or none of Azure.
    Other(ProviderError),
}

impl From<Failure> for ProviderError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error.of(CLOUD, &TABLE),
            Failure::Other(error) => error,
        }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self::Other(error)
    }
}

#[derive(Debug)]
pub(crate) struct Session<'a> {
    access: &'a CloudAccess,
    pub(crate) account: &'a Account,
    deadline: Deadline,
    pub(crate) group: &'a str,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        access: &'a CloudAccess,
        account: &'a Account,
        deadline: Deadline,
        group: &'a str,
    ) -> Self {
        Self { access, account, deadline, group }
    }

    pub(crate) fn now(&self) -> Instant {
        self.access.transport.now()
    }

    pub(crate) fn place(&self) -> Place<'_> {
        Place { subscription: &self.account.subscription, group: self.group }
    }

    /// Sends a request with a token; whatever is no success is a failure.
    pub(crate) async fn send(&self, sent: Sent) -> Result<Answer, Failure> {
        let (token, origin) = token::token(self, sent.urgency).await?;
        let answer = self.attempt(&sent, &token).await?;
        if answer.status != StatusCode::UNAUTHORIZED {
            return self.good(&sent, answer);
        }
        token::drop_token(self, &token).await;
        if origin == Origin::New {
            return self.good(&sent, answer);
        }
        // A token that was kept may have been revoked. The refused call had no effect, so it may be sent with another one.
        let (token, _) = token::token(self, sent.urgency).await?;
        let answer = self.attempt(&sent, &token).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            token::drop_token(self, &token).await;
        }
        self.good(&sent, answer)
    }

    async fn attempt(&self, sent: &Sent, token: &Token) -> Result<Answer, ProviderError> {
        let request = self.request(sent, &token.text)?;
        self.exchange(sent.operation, sent.class, sent.urgency, request).await
    }

    fn good(&self, sent: &Sent, answer: Answer) -> Result<Answer, Failure> {
        if answer.status.is_success() {
            return Ok(answer);
        }
        let error = errors::refusal(sent.operation, &answer, &self.account.redaction);
        if error.code.is_empty() && answer.status == StatusCode::NOT_FOUND {
            return Err(Failure::Other(
                self.strange(sent.operation, "somebody who is not Resource Manager answers 404"),
            ));
        }
        Err(Failure::Refused(error))
    }

    fn request(&self, sent: &Sent, token: &str) -> Result<Request<Vec<u8>>, ProviderError> {
        let unsendable = |error: &dyn std::error::Error| self.unsendable(sent.operation, error);
        let mut bearer =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|error| unsendable(&error))?;
        bearer.set_sensitive(true);
        let mut request = Request::builder()
            .method(sent.method.clone())
            .uri(format!("{}{}", self.account.manager, sent.path))
            .header(header::AUTHORIZATION, bearer)
            .header(header::ACCEPT, "application/json");
        if sent.if_none_match {
            request = request.header(header::IF_NONE_MATCH, "*");
        }
        let body = match &sent.body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                body.to_string().into_bytes()
            }
            None => {
                if sent.method == Method::POST || sent.method == Method::DELETE {
                    request = request.header(header::CONTENT_LENGTH, "0");
                }
                Vec::new()
            }
        };
        request.body(body).map_err(|error| unsendable(&error))
    }

    /// Sends a request as it is, within the budget of its class.
    pub(crate) async fn exchange(
        &self,
        operation: &'static str,
        class: Class,
        urgency: Urgency,
        request: Request<Vec<u8>>,
    ) -> Result<Answer, ProviderError> {
        let key = BudgetKey {
            cloud: "azure",
            credential: self.account.counted_by(),
            class: class.name().to_owned(),
        };
        let budget = self.access.budgets.of(&key, class.rate());
        let caller = Caller::new("azure", self.access, Arc::clone(&budget), self.deadline);
        let answer = caller.call(operation, urgency, request).await.map_err(|failure| failure.of(CLOUD))?;
        if answer.status != StatusCode::TOO_MANY_REQUESTS {
            spare(&budget, &answer);
        }
        Ok(answer)
    }

    /// All things of a type in the resource group. A list that lacks a page is none.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        kind: Kind,
        urgency: Urgency,
    ) -> Result<Vec<T>, ProviderError> {
        let class = if kind == Kind::Nic { Class::Network } else { Class::ComputeRead };
        let first = format!("{}?api-version={}", self.place().all(kind), kind.api_version());
        let (mut pages, mut all) = (Pages::default(), Vec::new());
        loop {
            let path = pages.token().map_or_else(|| first.clone(), str::to_owned);
            let answer = match self.send(Sent::new(operation, class, urgency, Method::GET, path)).await {
                Ok(answer) => answer,
                Err(Failure::Refused(error)) if errors::says_group_absent(&error) => return Ok(Vec::new()),
                Err(failure) => return Err(never_absent(failure.into())),
            };
            let page: Page<T> = answer.json().map_err(|error| self.unreadable(operation, &error))?;
            all.extend(page.value);
            let next = page.next_link.filter(|link| !link.is_empty());
            let next = next.map(|link| self.own_path(operation, &link)).transpose()?;
            if !pages.turn(next).map_err(|error| self.strange(operation, &error.to_string()))? {
                return Ok(all);
            }
        }
    }

    /// Waits for a list that others make too, at most until the deadline.
    pub(crate) async fn shared<T>(
        &self,
        lists: &Lists<T>,
        age: Age,
        list: impl Future<Output = Result<Vec<T>, ProviderError>>,
    ) -> Result<Arc<Vec<T>>, ProviderError> {
        let now = self.now();
        let since = match age {
            Age::New => now,
            Age::Recent => now.checked_sub(RECENT).unwrap_or(now),
        };
        let waiting = lists.since(self.group.to_lowercase(), since, || self.now(), || list);
        tokio::time::timeout(self.deadline.left(now), waiting).await.unwrap_or_else(|_| {
            let message = format!("{CLOUD}: the list of resource group {} did not come in time", self.group);
            Err(ProviderError::new(MachineCode::DeadlineExceeded, message))
        })
    }

    /// The path of an address that Azure gave, if it leads to the same Resource Manager: the token goes with it.
    pub(crate) fn own_path(&self, operation: &'static str, address: &str) -> Result<String, ProviderError> {
        path_at(&self.account.manager, address)
            .ok_or_else(|| self.strange(operation, "it names a next address that is not Resource Manager's"))
    }

    /// Until when this operation may take.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.left(self.now())
    }

    /// An answer that is not Azure's.
    pub(crate) fn strange(&self, operation: &'static str, reason: &str) -> ProviderError {
        let message =
            format!("{CLOUD}: {operation}: unexpected answer: {reason}; is the right endpoint set?");
        ProviderError::new(MachineCode::Unavailable, self.account.redaction.redact(&message))
    }

    pub(crate) fn unreadable(&self, operation: &'static str, error: &serde_json::Error) -> ProviderError {
        self.strange(operation, &format!("it can not be read: {error}"))
    }

    pub(crate) fn unsendable(&self, operation: &'static str, error: &dyn std::error::Error) -> ProviderError {
        let message = format!("{CLOUD}: {operation}: there is no such request: {error}");
        ProviderError::new(MachineCode::InvalidArgument, self.account.redaction.redact(&message))
    }
}

/// What follows the base in an address at the same place.
fn path_at(base: &str, address: &str) -> Option<String> {
    let (base, address): (Uri, Uri) = (base.parse().ok()?, address.parse().ok()?);
    let port = |uri: &Uri| uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let is_same = base.scheme() == address.scheme()
        && base.host()?.eq_ignore_ascii_case(address.host()?)
        && port(&base) == port(&address)
        && address.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    let path = address.path_and_query()?.as_str();
    let path = path.strip_prefix(base.path().trim_end_matches('/'))?;
    (is_same && path.starts_with('/')).then(|| path.to_owned())
}

/// A refusal of a look-up that is not Azure's word that the thing is gone must not look like it.
pub(crate) fn never_absent(mut error: ProviderError) -> ProviderError {
    if error.code == MachineCode::NotFound {
        error.code = MachineCode::Unavailable;
    }
    error
}

/// Leaves Azure alone for a moment when it says that nothing is left of what it grants.
fn spare(budget: &Budget, answer: &Answer) {
    const GRANTED: [HeaderName; 3] = [
        HeaderName::from_static("x-ms-ratelimit-remaining-subscription-reads"),
        HeaderName::from_static("x-ms-ratelimit-remaining-subscription-writes"),
        HeaderName::from_static("x-ms-ratelimit-remaining-subscription-deletes"),
    ];
    let is_spent = |text: &str| text.trim() == "0";
    let by_manager = GRANTED.iter().any(|name| answer.header(name.as_str()).is_some_and(is_spent));
    if by_manager {
        budget.throttled(Some(Duration::from_secs(1)));
    }
    let by_type = answer.header("x-ms-ratelimit-remaining-resource").is_some_and(|granted| {
        granted.split(',').any(|one| one.rsplit_once(';').is_some_and(|(_, left)| is_spent(left)))
    });
    if by_type {
        budget.throttled(Some(Duration::from_secs(5)));
    }
}

#[cfg(test)]
mod tests {
    use super::path_at;

    #[test]
    fn a_token_goes_to_no_other_place() {
        const BASE: &str = "https://management.azure.com";
        for (address, path) in [
            ("https://management.azure.com/subscriptions/s?x=y", Some("/subscriptions/s?x=y")),
            ("https://Management.Azure.com:443/a", Some("/a")),
            ("https://management.azure.com.example.com/a", None),
            ("https://management.azure.com@example.com/a", None),
            ("http://management.azure.com/a", None),
            ("https://example.com/a", None),
            ("/subscriptions/s", None),
            ("", None),
        ] {
            assert_eq!(path_at(BASE, address).as_deref(), path, "{address}");
        }
        assert_eq!(path_at("http://127.0.0.1:1/arm", "http://127.0.0.1:1/arm/x").as_deref(), Some("/x"));
        assert_eq!(path_at("http://127.0.0.1:1/arm", "http://127.0.0.1:1/other"), None);
    }
}
