//! Takes credentials out of texts that somebody else wrote.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// What stands for a credential.
const REDACTED: &str = "<redacted>";
/// Shorter values are no secrets, and would tear every text apart.
const SHORTEST: usize = 6;
/// A line of a longer value, as of a private key, gives nothing away when it is shorter.
const SHORTEST_LINE: usize = 16;

/// Values that must not be seen. Printing it prints none of them.
#[derive(Clone, Default)]
pub struct Redaction {
    values: usize,
    /// The longest first, so that none is left over around another.
    forms: Vec<String>,
}

impl Redaction {
    /// Of these values: as they are, as they stand in a URL, in a form, in JSON and inside base64 (as a basic
    /// authorization does), and of each longer line of them.
    #[must_use]
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let values: BTreeSet<&str> =
            values.into_iter().map(str::trim).filter(|value| value.len() >= SHORTEST).collect();
        let lines = values.iter().flat_map(|value| value.lines()).map(str::trim);
        let lines = lines.filter(|line| line.len() >= SHORTEST_LINE && !line.starts_with("-----"));
        let whole: BTreeSet<&str> = values.iter().copied().chain(lines).collect();
        let mut forms: Vec<String> = whole.into_iter().flat_map(forms_of).collect();
        forms.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        forms.dedup();
        Self { values: values.len(), forms }
    }

    /// A text without them.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.forms.iter().fold(text.to_owned(), |text, form| {
            if text.contains(form.as_str()) { text.replace(form.as_str(), REDACTED) } else { text }
        })
    }
}

fn forms_of(value: &str) -> Vec<String> {
    let escaped = encoded(value, "%20", |byte| format!("%{byte:02X}"));
    let mut forms = vec![
        value.to_owned(),
        encoded(value, "%20", |byte| format!("%{byte:02x}")),
        encoded(value, "+", |byte| format!("%{byte:02X}")),
        escaped,
    ];
    if let Ok(json) = serde_json::to_string(value) {
        forms.push(json.trim_matches('"').to_owned());
    }
    for before in 0..3 {
        forms.extend(inside_base64(value, before));
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

fn encoded(value: &str, blank: &str, escape: impl Fn(u8) -> String) -> String {
    let one = |byte: u8| match byte {
        b' ' => blank.to_owned(),
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => escape(other),
    };
    value.bytes().map(one).collect()
}

/// What is always seen of a value in the base64 of a text that has so many bytes, modulo three, before it.
fn inside_base64(value: &str, before: usize) -> [String; 2] {
    let text: Vec<u8> = std::iter::repeat_n(0, before).chain(value.bytes()).collect();
    // Letters that hold bits of what stands before or behind as well are not always the same.
    let (from, to) = ((before * 8).div_ceil(6), text.len() * 8 / 6);
    [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)].map(|code| code[from..to].to_owned())
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redaction({} values)", self.values)
    }
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_credential_is_taken_out_in_every_spelling_it_may_come_back_in() {
        let secret = "pa ss/w\"örd+1";
        let redaction = Redaction::of([secret]);
        for text in [
            "token pa ss/w\"örd+1 refused",
            "?password=pa%20ss%2Fw%22%C3%B6rd%2B1&x",
            "?password=pa%20ss%2fw%22%c3%b6rd%2b1&x",
            "password=pa+ss%2Fw%22%C3%B6rd%2B1",
            r#"{"password":"pa ss/w\"örd+1"}"#,
        ] {
            let shown = redaction.redact(text);
            assert!(shown.contains(REDACTED), "{shown}");
            assert!(!shown.contains("rd+1") && !shown.contains("rd%2"), "{shown}");
        }
        assert_eq!(redaction.redact("nothing here"), "nothing here");
    }

    #[test]
    fn a_value_inside_another_leaves_no_rest() {
        let redaction = Redaction::of(["secret", "secret-and-more"]);
        assert_eq!(redaction.redact("a secret-and-more b"), "a <redacted> b");
    }

    #[test]
    fn short_values_tear_no_text_apart() {
        assert_eq!(Redaction::of(["eu", "", "12345"]).redact("eu-west 12345"), "eu-west 12345");
    }

    #[test]
    fn a_single_line_of_a_private_key_is_taken_out_and_its_frame_is_not() {
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEA\n-----END PRIVATE KEY-----\n";
        let redaction = Redaction::of([key]);
        let shown = redaction.redact("bad line AQEFAASCBKcwggSjAgEA in -----BEGIN PRIVATE KEY-----");
        assert_eq!(shown, "bad line <redacted> in -----BEGIN PRIVATE KEY-----");
        let in_json = serde_json::to_string(key).unwrap();
        assert!(!redaction.redact(&in_json).contains("MII"), "{in_json}");
    }

    #[test]
    fn printing_it_prints_no_value() {
        let printed = format!("{:?}", Redaction::of(["hunter2"]));
        assert_eq!(printed, "Redaction(1 values)");
    }

    proptest! {
        #[test]
        fn a_credential_is_not_seen_inside_base64(
            before in "[ -~]{0,9}", secret in "[ -~]{12,40}", behind in "[ -~]{0,9}"
        ) {
            let secret = secret.trim();
            prop_assume!(secret.len() >= 12);
            let code = STANDARD.encode(format!("{before}{secret}{behind}"));
            let shown = Redaction::of([secret]).redact(&code);
            prop_assert!(shown.contains(REDACTED), "{}", shown);
            // Two letters at each edge hold bits of the neighbours.
            let rest = shown.replace(REDACTED, "").len();
            let others = STANDARD_NO_PAD.encode(format!("{before}{behind}")).len();
            prop_assert!(rest <= others + 8, "{} {}", rest, others);
        }
    }
}
