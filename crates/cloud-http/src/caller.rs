//! The calls of one operation: one budget, one deadline, one journal.

use std::sync::Arc;

use http::Request;
use millwright_provider::Deadline;

use crate::{
    Answer, Budget, CallFailure, Called, CloudAccess, Transport, TransportError, Urgency, retry_after,
};

/// Makes calls. Knows no credential: a request carries it in a header that is marked sensitive.
#[derive(Debug)]
pub struct Caller<'a> {
    cloud: &'static str,
    access: &'a CloudAccess,
    transport: &'a dyn Transport,
    budget: Arc<Budget>,
    deadline: Deadline,
}

impl<'a> Caller<'a> {
    /// Calls to that cloud (its name in lower case, as in metrics) within a budget and a deadline.
    #[must_use]
    pub fn new(
        cloud: &'static str,
        access: &'a CloudAccess,
        budget: Arc<Budget>,
        deadline: Deadline,
    ) -> Self {
        Self { cloud, access, transport: &*access.transport, budget, deadline }
    }

    /// By another way than the process's, as an endpoint with its own certificate authority needs.
    #[must_use]
    pub fn over(mut self, transport: &'a dyn Transport) -> Self {
        self.transport = transport;
        self
    }

    /// Waits for its turn, sends, and returns whatever the cloud answers. An answer with status 429 is told to the budget;
    /// a cloud that throttles in other words is told of by [`Self::throttled`].
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn call(
        &self,
        operation: &'static str,
        urgency: Urgency,
        request: Request<Vec<u8>>,
    ) -> Result<Answer, CallFailure> {
        let what = || format!("{operation} ({} {})", request.method(), request.uri().path());
        let what = what();
        let began = self.transport.now();
        let left = self.deadline.left(began);
        let turn = self
            .budget
            .turn(urgency, left)
            .await
            .map_err(|no| CallFailure::NoTurn { what: what.clone(), retry_after: no.retry_after })?;
        let sent = self.transport.now();
        let left = self.deadline.left(sent);
        if left.is_zero() {
            return Err(CallFailure::TimedOut { what });
        }
        let endpoint = place(&request);
        let answered = self.transport.exchange(request, left).await;
        let took = self.transport.now().saturating_duration_since(sent);
        let called = Called {
            cloud: self.cloud,
            operation,
            urgency,
            waited: turn.waited,
            took,
            status: answered.as_ref().ok().map(|answer| answer.status().as_u16()),
        };
        self.access.journal.called(&called);
        let answered = answered.map_err(|error| match error {
            TransportError::TimedOut => CallFailure::TimedOut { what },
            TransportError::Unreachable(source) => CallFailure::Unreachable { what, endpoint, source },
        })?;
        let (parts, body) = answered.into_parts();
        let answer = Answer {
            retry_after: retry_after(&parts.headers),
            status: parts.status,
            headers: parts.headers,
            body,
        };
        tracing::trace!(cloud = self.cloud, operation, status = answer.status.as_u16(), "the cloud answered");
        if answer.status == http::StatusCode::TOO_MANY_REQUESTS {
            self.throttled(operation, answer.retry_after);
        }
        Ok(answer)
    }

    /// The cloud asks to be left alone.
    pub fn throttled(&self, operation: &'static str, wait: Option<std::time::Duration>) {
        self.access.journal.throttled(self.cloud, operation);
        self.budget.throttled(wait);
    }

    /// Until when the operation may take.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }
}

fn place(request: &Request<Vec<u8>>) -> String {
    let uri = request.uri();
    format!("{}://{}", uri.scheme_str().unwrap_or("http"), uri.authority().map_or("", |a| a.as_str()))
}
