//! A bootstrap token: a public id and a secret, in the one form the API server knows.

use std::fmt;

use crate::token_id::{ALPHABET, LENGTH as ID_LENGTH};
use crate::{Randomness, RandomnessError, TokenId};

const SECRET_LENGTH: usize = 16;
/// Bytes from here on would make the first characters of the alphabet likelier than the last.
const UNBIASED: u8 = 252;

/// `id.secret`. Never prints its secret.
#[derive(Clone, PartialEq, Eq)]
pub struct BootstrapToken {
    id: String,
    secret: String,
}

impl BootstrapToken {
    /// A new token under an id; its secret is random.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn generate(id: TokenId, randomness: &mut dyn Randomness) -> Result<Self, RandomnessError> {
        Ok(Self { id: id.0, secret: characters(randomness, SECRET_LENGTH)? })
    }

    /// The token of these two parts, if they have the form that the API server asks for.
    #[must_use]
    pub fn from_parts(id: &str, secret: &str) -> Option<Self> {
        let formed = |part: &str, length| part.len() == length && part.bytes().all(|c| ALPHABET.contains(&c));
        (formed(id, ID_LENGTH) && formed(secret, SECRET_LENGTH))
            .then(|| Self { id: id.to_owned(), secret: secret.to_owned() })
    }

    /// The public half.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The secret half, for the Secret alone.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// The whole token, for user data alone.
    #[must_use]
    pub fn expose(&self) -> String {
        format!("{}.{}", self.id, self.secret)
    }
}

impl fmt::Debug for BootstrapToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BootstrapToken({})", self.id)
    }
}

fn characters(randomness: &mut dyn Randomness, length: usize) -> Result<String, RandomnessError> {
    let mut text = String::with_capacity(length);
    let mut bytes = [0; 32];
    while text.len() < length {
        randomness.fill(&mut bytes)?;
        let fair = bytes.iter().filter(|&&byte| byte < UNBIASED);
        let drawn = fair.map(|&byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        text.extend(drawn.take(length - text.len()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::SystemRandomness;

    fn id() -> TokenId {
        TokenId::for_machine("uid-1", 0)
    }

    /// Counts up and starts again.
    struct Counting(u8);

    impl Randomness for Counting {
        fn fill(&mut self, buffer: &mut [u8]) -> Result<(), RandomnessError> {
            for byte in buffer {
                *byte = self.0;
                self.0 = self.0.wrapping_add(1);
            }
            Ok(())
        }
    }

    struct Exhausted;

    impl Randomness for Exhausted {
        fn fill(&mut self, _buffer: &mut [u8]) -> Result<(), RandomnessError> {
            Err(RandomnessError { cause: "not seeded".into() })
        }
    }

    #[test]
    fn a_token_has_the_form_that_the_api_server_asks_for() {
        for _ in 0..1000 {
            let token = BootstrapToken::generate(id(), &mut SystemRandomness).unwrap();
            let text = token.expose();
            let (id, secret) = text.split_once('.').unwrap();
            assert_eq!(BootstrapToken::from_parts(id, secret), Some(token), "{text}");
        }
    }

    #[test]
    fn equal_randomness_makes_equal_tokens() {
        let token = |start| BootstrapToken::generate(id(), &mut Counting(start)).unwrap().expose();
        assert_eq!(token(0), format!("{}.0123456789abcdef", id().0));
        assert_eq!(token(0), token(0));
        assert_ne!(token(0), token(1));
    }

    #[test]
    fn no_character_is_likelier_than_another() {
        let text = characters(&mut Counting(0), 252 * 4).unwrap();
        let mut counts = BTreeMap::new();
        text.chars().for_each(|c| *counts.entry(c).or_insert(0) += 1);
        assert_eq!(counts.len(), 36);
        assert_eq!(counts.values().collect::<BTreeSet<_>>().len(), 1, "{counts:?}");
    }

    #[test]
    fn without_randomness_there_is_no_token() {
        let error = BootstrapToken::generate(id(), &mut Exhausted).unwrap_err();
        assert!(error.to_string().contains("not seeded"), "{error}");
    }

    #[test]
    fn malformed_parts_make_no_token() {
        for (id, secret) in [
            ("", ""),
            ("abcde", "0123456789abcdef"),
            ("abcdef", "0123456789abcde"),
            ("ABCDEF", "0123456789abcdef"),
            ("abcdef", "0123456789abcde."),
            ("abcdéf", "0123456789abcdef"),
        ] {
            assert_eq!(BootstrapToken::from_parts(id, secret), None, "{id:?} {secret:?}");
        }
    }

    #[test]
    fn printing_a_token_prints_its_id_only() {
        let token = BootstrapToken::from_parts("abcdef", "0123456789abcdef").unwrap();
        assert_eq!(format!("{token:?}"), "BootstrapToken(abcdef)");
    }
}
