//! A refusal, in the cloud's own words.

use std::fmt;
use std::time::Duration;

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

use crate::ErrorTable;

/// A message of a cloud is cut here: it ends up in a status.
const LONGEST_MESSAGE: usize = 500;

/// What a cloud said when it refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudError {
    /// The operation that was refused.
    pub operation: &'static str,
    /// The HTTP status; 0 when the refusal came inside a good answer, as that of an operation that failed later.
    pub http: u16,
    /// The cloud's code; empty when it gave none.
    pub code: String,
    /// The cloud's message, redacted.
    pub message: String,
    /// The cloud's name for the request.
    pub request_id: Option<String>,
    /// How long it wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl CloudError {
    /// As a provider's error, with the machine code that the table gives it; `cloud` begins the message.
    #[must_use]
    pub fn of(&self, cloud: &str, table: &ErrorTable) -> ProviderError {
        self.with_code(cloud, table.code_of(self))
    }

    /// As a provider's error with that code.
    #[must_use]
    pub fn with_code(&self, cloud: &str, code: MachineCode) -> ProviderError {
        let mut error = ProviderError::new(code, format!("{cloud}: {self}"));
        error.retry_after = self.retry_after;
        error
    }
}

impl fmt::Display for CloudError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, http, code, message, request_id, .. } = self;
        let message: String = message.chars().take(LONGEST_MESSAGE).collect();
        write!(f, "{operation}: ")?;
        match (code.is_empty(), message.is_empty()) {
            (false, false) => write!(f, "{code}: {message}")?,
            (false, true) => f.write_str(code)?,
            (true, false) => f.write_str(&message)?,
            (true, true) => write!(f, "answered with HTTP status {http}")?,
        }
        request_id.as_ref().map_or(Ok(()), |id| write!(f, " (request {id})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_shown_with_what_the_cloud_said_of_it() {
        let refusal = |code: &str, message: &str, request_id: Option<&str>| CloudError {
            operation: "RunInstances",
            http: 400,
            code: code.to_owned(),
            message: message.to_owned(),
            request_id: request_id.map(str::to_owned),
            retry_after: Some(Duration::from_secs(3)),
        };
        for (refusal, shown) in [
            (refusal("Code", "why", Some("r-1")), "RunInstances: Code: why (request r-1)"),
            (refusal("Code", "", None), "RunInstances: Code"),
            (refusal("", "why", None), "RunInstances: why"),
            (refusal("", "", None), "RunInstances: answered with HTTP status 400"),
        ] {
            assert_eq!(refusal.to_string(), shown);
        }
        let long = refusal("Code", &"ü".repeat(5000), Some("r-1"));
        assert!(long.to_string().chars().count() < 600);
        let error = long.of("AWS", &ErrorTable(&[]));
        assert_eq!(
            (error.code, error.retry_after),
            (MachineCode::InvalidArgument, Some(Duration::from_secs(3)))
        );
        assert!(error.message.starts_with("AWS: RunInstances: Code: ü"), "{error}");
    }
}
