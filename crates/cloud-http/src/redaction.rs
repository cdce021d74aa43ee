//! Takes credentials out of texts that somebody else wrote.

use std::fmt;

/// What stands for a credential.
const REDACTED: &str = "<redacted>";
/// Shorter values are no secrets, and would tear every text apart.
const SHORTEST: usize = 6;

/// Values that must not be seen. Printing it prints none of them.
#[derive(Clone, Default)]
pub struct Redaction(Vec<String>);

impl Redaction {
    /// Of these values, as they are and as they stand in a URL.
    #[must_use]
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut values: Vec<String> =
            values.into_iter().filter(|value| value.len() >= SHORTEST).map(str::to_owned).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// A text without them.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, value| text.replace(value, REDACTED))
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redaction({} values)", self.0.len())
    }
}
