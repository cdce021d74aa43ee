//! User data with placeholders for what differs between machines.
//!
//! A placeholder may stand there plainly or as a URL query would spell it (Ignition puts files into data
//! URLs). Text that is packed or encoded otherwise is not looked into.

use std::borrow::Cow;

use millwright_api::keys::placeholders::{BOOTSTRAP_TOKEN, MACHINE_NAME};

use crate::BootstrapToken;

/// The user data of a class, not yet filled. It may hold credentials, so it does not print.
#[derive(Clone, Copy)]
pub struct Template<'a>(&'a str);

impl<'a> Template<'a> {
    /// Takes the text from a class's Secret.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// Whether there is a placeholder for a bootstrap token. Without one no token needs to be made.
    #[must_use]
    pub fn wants_token(self) -> bool {
        spellings(BOOTSTRAP_TOKEN).iter().any(|placeholder| self.0.contains(placeholder))
    }

    /// Fills every placeholder. Without a token, as where there is no cluster to join, its placeholder stays.
    /// The result holds the token: wrap it at once in a type that does not print.
    #[must_use]
    pub fn fill(self, machine_name: &str, token: Option<&BootstrapToken>) -> String {
        let named = replace(Cow::Borrowed(self.0), MACHINE_NAME, machine_name);
        let filled = match token {
            Some(token) => replace(named, BOOTSTRAP_TOKEN, &token.expose()),
            None => named,
        };
        filled.into_owned()
    }
}

impl std::fmt::Debug for Template<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Template({} bytes)", self.0.len())
    }
}

/// Tokens and object names have no character that a URL escapes, so one value fits all spellings.
fn replace<'a>(text: Cow<'a, str>, placeholder: &str, value: &str) -> Cow<'a, str> {
    spellings(placeholder).iter().fold(text, |text, spelling| {
        if text.contains(spelling) { Cow::Owned(text.replace(spelling, value)) } else { text }
    })
}

fn spellings(placeholder: &str) -> [String; 3] {
    let escaped = |open: &str, close: &str| placeholder.replace('<', open).replace('>', close);
    [placeholder.to_owned(), escaped("%3C", "%3E"), escaped("%3c", "%3e")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> BootstrapToken {
        BootstrapToken::from_parts("abcdef", "0123456789abcdef").unwrap()
    }

    #[test]
    fn every_spelling_is_filled_everywhere() {
        let template = Template::new(
            "token: <<BOOTSTRAP_TOKEN>>\nagain: <<BOOTSTRAP_TOKEN>> on <<MACHINE_NAME>>\n\
             url: data:,t=%3C%3CBOOTSTRAP_TOKEN%3E%3E&n=%3C%3CMACHINE_NAME%3E%3E&l=%3c%3cBOOTSTRAP_TOKEN%3e%3e\n",
        );
        assert!(template.wants_token());
        assert_eq!(
            template.fill("worker-1", Some(&token())),
            "token: abcdef.0123456789abcdef\nagain: abcdef.0123456789abcdef on worker-1\n\
             url: data:,t=abcdef.0123456789abcdef&n=worker-1&l=abcdef.0123456789abcdef\n"
        );
    }

    #[test]
    fn a_token_is_wanted_in_any_spelling_and_only_then() {
        for (text, wanted) in [
            ("<<BOOTSTRAP_TOKEN>>", true),
            ("x%3C%3CBOOTSTRAP_TOKEN%3E%3Ex", true),
            ("x%3c%3cBOOTSTRAP_TOKEN%3e%3ex", true),
            ("<<MACHINE_NAME>>", false),
            ("<BOOTSTRAP_TOKEN>", false),
            ("", false),
        ] {
            assert_eq!(Template::new(text).wants_token(), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_placeholder_stays_to_the_byte() {
        for text in ["", "\r\n #cloud-config \t", "<<MACHINE>> %3C%3C ünï ☃\n\n", "<<machine_name>>"] {
            assert_eq!(Template::new(text).fill("worker-1", Some(&token())), text);
        }
    }

    #[test]
    fn without_a_token_its_placeholder_stays() {
        let template = Template::new("<<BOOTSTRAP_TOKEN>> <<MACHINE_NAME>>");
        assert_eq!(template.fill("worker-1", None), "<<BOOTSTRAP_TOKEN>> worker-1");
    }

    #[test]
    fn printing_a_template_prints_its_length_only() {
        assert_eq!(format!("{:?}", Template::new("password")), "Template(8 bytes)");
    }
}
