//! What becomes of a request.

use std::time::Duration;

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is carried out and answered.
    Pass,
    /// It is not carried out, and this is the answer.
    Refuse {
        /// HTTP status, such as 503.
        code: u16,
        /// Reason in the Status, such as `ServiceUnavailable`.
        reason: String,
        /// Message in the Status.
        message: String,
        /// After how many seconds to try again.
        retry_after: Option<u32>,
    },
    /// It is not carried out; the connection breaks.
    Reset,
    /// It is carried out; the connection breaks before the answer.
    LoseAnswer,
    /// It is carried out; no answer ever comes.
    NeverAnswer,
    /// It is not carried out; no answer ever comes.
    Hang,
    /// After this long, the other verdict.
    Delay(Duration, Box<Verdict>),
    /// A read is answered from the past. Anything else passes.
    StaleList {
        /// How many writes, of whatever kind, the answer has not seen.
        versions_behind: u64,
    },
}

impl Verdict {
    /// A refusal in the words of an overloaded server: 429 or 503 as asked for.
    #[must_use]
    pub fn refuse(code: u16) -> Self {
        let (reason, message, retry_after) = match code {
            403 => ("Forbidden", "forbidden by the gate", None),
            404 => ("NotFound", "the server could not find the requested resource", None),
            409 => (
                "Conflict",
                "the object has been modified; please apply your changes to the latest version",
                None,
            ),
            410 => ("Expired", "too old resource version", None),
            429 => (
                "TooManyRequests",
                "the server has received too many requests and has asked us to try again later",
                Some(1),
            ),
            503 => ("ServiceUnavailable", "the server is currently unable to handle the request", None),
            504 => ("Timeout", "the server was unable to return a response in the time allotted", None),
            _ => ("InternalError", "an error on the server has prevented the request from succeeding", None),
        };
        Self::Refuse { code, reason: reason.to_owned(), message: message.to_owned(), retry_after }
    }
}
