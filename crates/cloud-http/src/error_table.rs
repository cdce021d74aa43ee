//! From a cloud's refusals to machine codes, as data: what is compiled in is what the reference prints.

use millwright_api::MachineCode;

use crate::CloudError;

/// Where a row looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// The cloud's code, compared without case; `*` stands for anything.
    Code,
    /// The cloud's message, compared without case; holds the text anywhere in it, `*` stands for anything.
    Message,
}

/// One row. The first that fits decides.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// Where to look.
    pub at: Where,
    /// What to find there.
    pub matches: &'static str,
    /// Only in a refusal with this HTTP status; 0 for any.
    pub http: u16,
    /// What becomes of it.
    pub code: MachineCode,
}

impl ErrorRow {
    /// A row about the cloud's code.
    #[must_use]
    pub const fn code(matches: &'static str, code: MachineCode) -> Self {
        Self { at: Where::Code, matches, http: 0, code }
    }

    /// A row about the cloud's message.
    #[must_use]
    pub const fn message(matches: &'static str, code: MachineCode) -> Self {
        Self { at: Where::Message, matches, http: 0, code }
    }

    /// Only with that HTTP status.
    #[must_use]
    pub const fn only(mut self, http: u16) -> Self {
        self.http = http;
        self
    }

    fn fits(&self, error: &CloudError) -> bool {
        let found = match self.at {
            Where::Code => matches_all(self.matches, &error.code),
            Where::Message => matches_all(&format!("*{}*", self.matches), &error.message),
        };
        found && (self.http == 0 || self.http == error.http)
    }
}

/// A provider's rows, before what the HTTP status says by itself.
#[derive(Clone, Copy, Debug)]
pub struct ErrorTable(pub &'static [ErrorRow]);

impl ErrorTable {
    /// The code of a refusal: that of the first row that fits, else what its HTTP status says.
    #[must_use]
    pub fn code_of(&self, error: &CloudError) -> MachineCode {
        let row = self.0.iter().find(|row| row.fits(error));
        row.map_or_else(|| code_of_status(error.http), |row| row.code)
    }
}

/// What a status says when the cloud says nothing else. Throttling is never `ResourceExhausted`: an autoscaler would take
/// it for a lack of machines.
fn code_of_status(status: u16) -> MachineCode {
    match status {
        400 | 413 | 422 => MachineCode::InvalidArgument,
        401 => MachineCode::Unauthenticated,
        403 => MachineCode::PermissionDenied,
        404 | 410 => MachineCode::NotFound,
        408 | 504 => MachineCode::DeadlineExceeded,
        409 | 412 => MachineCode::Aborted,
        429 | 500..=599 => MachineCode::Unavailable,
        _ => MachineCode::Internal,
    }
}

/// Whether `*` of a pattern can be filled in so that it is the text, without case.
fn matches_all(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return text.is_empty() };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_and_case_does_not_matter() {
        for (pattern, text, fits) in [
            ("Insufficient*Capacity", "insufficientInstanceCapacity", true),
            ("Insufficient*Capacity", "InsufficientFreeAddresses", false),
            ("*quota*", "exceeding approved Quota", true),
            ("Exact", "Exact", true),
            ("Exact", "Exactly", false),
            ("a*a", "a", false),
            ("", "", true),
        ] {
            assert_eq!(matches_all(pattern, text), fits, "{pattern} {text}");
        }
    }

    fn refusal(http: u16, code: &str, message: &str) -> CloudError {
        CloudError {
            operation: "Create",
            http,
            code: code.to_owned(),
            message: message.to_owned(),
            request_id: None,
            retry_after: None,
        }
    }

    #[test]
    fn the_first_row_that_fits_decides_and_else_the_status() {
        const TABLE: ErrorTable = ErrorTable(&[
            ErrorRow::code("Quota*", MachineCode::ResourceExhausted).only(403),
            ErrorRow::message("no valid host", MachineCode::ResourceExhausted),
            ErrorRow::code("*", MachineCode::Internal).only(418),
        ]);
        for (http, code, message, becomes) in [
            (403, "quotaExceeded", "", MachineCode::ResourceExhausted),
            (400, "quotaExceeded", "", MachineCode::InvalidArgument),
            (0, "", "sorry: No Valid Host was found", MachineCode::ResourceExhausted),
            (418, "", "", MachineCode::Internal),
        ] {
            assert_eq!(TABLE.code_of(&refusal(http, code, message)), becomes, "{http} {code} {message}");
        }
    }

    #[test]
    fn a_status_alone_never_means_a_lack_of_machines() {
        for (status, becomes) in [
            (400, MachineCode::InvalidArgument),
            (401, MachineCode::Unauthenticated),
            (403, MachineCode::PermissionDenied),
            (404, MachineCode::NotFound),
            (408, MachineCode::DeadlineExceeded),
            (409, MachineCode::Aborted),
            (410, MachineCode::NotFound),
            (412, MachineCode::Aborted),
            (422, MachineCode::InvalidArgument),
            (429, MachineCode::Unavailable),
            (500, MachineCode::Unavailable),
            (503, MachineCode::Unavailable),
            (504, MachineCode::DeadlineExceeded),
            (302, MachineCode::Internal),
            (0, MachineCode::Internal),
        ] {
            assert_eq!(ErrorTable(&[]).code_of(&refusal(status, "", "")), becomes, "{status}");
        }
    }
}
