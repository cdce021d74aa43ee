//! The calls of one operation: one budget, one deadline, one journal.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Request;
use millwright_provider::Deadline;

use crate::{
    Answer, Budget, CallFailure, Called, CloudAccess, OpenCall, Transport, TransportError, Urgency,
    retry_after,
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
        let what = format!("{operation} ({} {})", request.method(), request.uri().path());
        let call = self.turn_for(operation, urgency, &what).await?;
        let endpoint = place(&request);
        let answered = self.transport.exchange(request, call.left).await;
        let answered = match answered {
            Ok(answered) => answered,
            Err(error) => {
                call.unanswered();
                return Err(match error {
                    TransportError::TimedOut => CallFailure::TimedOut { what },
                    TransportError::Unreachable(source) => {
                        CallFailure::Unreachable { what, endpoint, source }
                    }
                });
            }
        };
        let (parts, body) = answered.into_parts();
        let answer = Answer {
            retry_after: retry_after(&parts.headers),
            status: parts.status,
            headers: parts.headers,
            body,
        };
        tracing::trace!(cloud = self.cloud, operation, status = answer.status.as_u16(), "the cloud answered");
        call.answered(answer.status, answer.retry_after);
        Ok(answer)
    }

    /// Waits for the turn of a call that somebody else sends, as an SDK does. Its end must be told to it.
    ///
    /// # Errors
    /// When the budget is spent or the deadline has passed; nothing was sent then.
    pub async fn turn(&self, operation: &'static str, urgency: Urgency) -> Result<OpenCall<'_>, CallFailure> {
        self.turn_for(operation, urgency, operation).await
    }

    async fn turn_for(
        &self,
        operation: &'static str,
        urgency: Urgency,
        what: &str,
    ) -> Result<OpenCall<'_>, CallFailure> {
        let what = || what.to_owned();
        let left = self.deadline.left(self.now());
        if left.is_zero() {
            return Err(CallFailure::TooLate { what: what() });
        }
        let turn = self.budget.turn(urgency, left).await.map_err(|no| {
            self.access.journal.spent(self.cloud, operation);
            CallFailure::NoTurn { what: what(), retry_after: no.retry_after }
        })?;
        let sent = self.now();
        let left = self.deadline.left(sent);
        if left.is_zero() {
            return Err(CallFailure::TooLate { what: what() });
        }
        Ok(OpenCall { caller: self, operation, urgency, turn, sent, left })
    }

    /// The cloud asks to be left alone.
    pub fn throttled(&self, operation: &'static str, wait: Option<Duration>) {
        self.access.journal.throttled(self.cloud, operation);
        self.budget.throttled(wait);
    }

    /// Until when the operation may take.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    pub(crate) fn cloud(&self) -> &'static str {
        self.cloud
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn now(&self) -> Instant {
        self.transport.now()
    }

    pub(crate) fn tell(&self, called: &Called) {
        self.access.journal.called(called);
    }
}

fn place(request: &Request<Vec<u8>>) -> String {
    let uri = request.uri();
    let port = uri.port_u16().map_or(String::new(), |port| format!(":{port}"));
    format!("{}://{}{port}", uri.scheme_str().unwrap_or("http"), uri.host().unwrap_or_default())
}
