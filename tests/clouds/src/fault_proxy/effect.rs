//! What happens to a call that is struck.

use std::time::Duration;

/// What happens instead of a good answer.
#[derive(Debug, Clone)]
pub enum Effect {
    /// It is refused without reaching the stand-in.
    Refuse {
        /// The HTTP status.
        status: u16,
        /// Headers of the answer, each a name and a value.
        headers: Vec<(String, String)>,
        /// The body of the answer.
        body: String,
    },
    /// The stand-in does it, and the connection ends before the answer.
    LoseReply,
    /// It does not reach the stand-in, and no answer ever comes.
    Hang,
    /// It reaches the stand-in after a while.
    Delay(Duration),
}

impl Effect {
    /// Refuses with a body of JSON.
    pub fn refuse_with_json(status: u16, body: &serde_json::Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self::Refuse { status, headers, body: body.to_string() }
    }

    /// The same refusal with one more header.
    #[must_use]
    pub fn with_header(self, name: &str, value: &str) -> Self {
        match self {
            Self::Refuse { status, mut headers, body } => {
                headers.push((name.to_owned(), value.to_owned()));
                Self::Refuse { status, headers, body }
            }
            other @ (Self::LoseReply | Self::Hang | Self::Delay(_)) => other,
        }
    }
}
