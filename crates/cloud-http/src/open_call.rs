//! A call that has its turn and is not answered yet.

use std::time::{Duration, Instant};

use http::StatusCode;

use crate::{Called, Caller, Turn, Urgency};

/// A call under way. It is told of once, by one of its ends; one that is dropped before was never sent.
#[derive(Debug)]
pub struct OpenCall<'a> {
    pub(crate) caller: &'a Caller<'a>,
    pub(crate) operation: &'static str,
    pub(crate) urgency: Urgency,
    pub(crate) turn: Turn,
    pub(crate) sent: Instant,
    /// What is left of the deadline.
    pub left: Duration,
}

impl OpenCall<'_> {
    /// There is an answer, with that HTTP status. Status 429 tells the budget to wait, for as long as the cloud says.
    pub fn answered(self, status: StatusCode, retry_after: Option<Duration>) {
        if status == StatusCode::TOO_MANY_REQUESTS {
            self.throttled(status, retry_after);
        } else {
            // A refusal may be throttling in other words, and must not end the pause that those before it began.
            if !(status.is_client_error() || status.is_server_error()) {
                self.caller.budget().answered(&self.turn);
            }
            self.told(Some(status));
        }
    }

    /// There is an answer, which says in the cloud's own words that it wants to be left alone.
    pub fn throttled(self, status: StatusCode, retry_after: Option<Duration>) {
        self.caller.throttled(self.operation, retry_after);
        self.told(Some(status));
    }

    /// There is no answer.
    pub fn unanswered(self) {
        self.told(None);
    }

    fn told(self, status: Option<StatusCode>) {
        let took = self.caller.now().saturating_duration_since(self.sent);
        self.caller.tell(&Called {
            cloud: self.caller.cloud(),
            operation: self.operation,
            urgency: self.urgency,
            waited: self.turn.waited,
            took,
            status: status.map(|status| status.as_u16()),
        });
    }
}
