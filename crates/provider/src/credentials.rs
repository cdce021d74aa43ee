//! The keys of a class's Secrets, merged. Printing them prints nothing but their names.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Secret data as the provider reads it; cheap to clone.
#[derive(Clone, Default)]
pub struct Credentials(Arc<BTreeMap<String, Vec<u8>>>);

impl Credentials {
    /// Merges Secrets in order: a later one's keys win.
    pub fn merge<I>(secrets: I) -> Self
    where
        I: IntoIterator<Item = BTreeMap<String, Vec<u8>>>,
    {
        Self(Arc::new(secrets.into_iter().flatten().collect()))
    }

    /// A key's text without surrounding white space; `None` when missing, empty or not UTF-8.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        let text = std::str::from_utf8(self.0.get(key)?).ok()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// A key's bytes as they are.
    #[must_use]
    pub fn bytes(&self, key: &str) -> Option<&[u8]> {
        self.0.get(key).map(Vec::as_slice)
    }

    /// Names of the keys that are present.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Identifies this set of values inside one process: the key of client caches and call budgets.
    /// Changes when a credential is rotated. User data is no credential and does not count.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (key, value) in self.0.iter().filter(|(key, _)| *key != crate::UserData::SECRET_KEY) {
            key.hash(&mut hasher);
            value.hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(pairs: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), v.as_bytes().to_vec())).collect()
    }

    #[test]
    fn the_second_secret_wins() {
        let merged = Credentials::merge([secret(&[("a", "1"), ("b", "1")]), secret(&[("b", " 2\n")])]);
        assert_eq!((merged.text("a"), merged.text("b"), merged.text("c")), (Some("1"), Some("2"), None));
    }

    #[test]
    fn printing_credentials_prints_no_value() {
        let printed = format!("{:?}", Credentials::merge([secret(&[("token", "hunter2")])]));
        assert!(printed.contains("token") && !printed.contains("hunter2"), "{printed}");
    }

    #[test]
    fn user_data_does_not_change_the_fingerprint_and_a_rotated_key_does() {
        let print = |pairs: &[(&str, &str)]| Credentials::merge([secret(pairs)]).fingerprint();
        let one = print(&[("token", "a"), ("userData", "x")]);
        assert_eq!(one, print(&[("token", "a"), ("userData", "y")]));
        assert_ne!(one, print(&[("token", "b"), ("userData", "x")]));
    }
}
