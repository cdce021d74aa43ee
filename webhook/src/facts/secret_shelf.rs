//! Keys of Secrets by namespace and name, as their watch tells them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use millwright_api::ObjectView as _;
use millwright_cluster::watch::WatchEvent;

use super::secret_keys::SecretKeys;

/// Keys by namespace and name.
#[derive(Default)]
pub(super) struct SecretShelf {
    keys: HashMap<String, HashMap<String, Arc<BTreeSet<String>>>>,
    /// What the list that is under way has shown.
    shown: HashSet<(String, String)>,
}

impl SecretShelf {
    /// Keys of a Secret that have a value.
    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<Arc<BTreeSet<String>>> {
        self.keys.get(namespace)?.get(name).cloned()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.keys.values().map(HashMap::len).sum()
    }

    /// Takes an event of the watch.
    pub(super) fn event(&mut self, event: WatchEvent<SecretKeys>) {
        match event {
            WatchEvent::Apply(secret) => self.put(&secret),
            WatchEvent::RelistItem(secret) => {
                self.put(&secret);
                self.shown.insert((secret.namespace().to_owned(), secret.name().to_owned()));
            }
            WatchEvent::Delete(secret) => {
                if let Some(names) = self.keys.get_mut(secret.namespace()) {
                    names.remove(secret.name());
                }
            }
            WatchEvent::RelistStarted => self.shown.clear(),
            WatchEvent::RelistDone => {
                let shown = std::mem::take(&mut self.shown);
                self.keys.retain(|namespace, names| {
                    names.retain(|name, _| shown.contains(&(namespace.clone(), name.clone())));
                    !names.is_empty()
                });
            }
        }
    }

    fn put(&mut self, secret: &SecretKeys) {
        let names = self.keys.entry(secret.namespace().to_owned()).or_default();
        names.insert(secret.name().to_owned(), Arc::clone(&secret.keys));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secret(name: &str) -> SecretKeys {
        let object = json!({"metadata": {"name": name, "namespace": "n"}, "data": {"token": "eA=="}});
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn a_list_forgets_the_secrets_that_it_does_not_show() {
        let mut shelf = SecretShelf::default();
        shelf.event(WatchEvent::Apply(secret("a")));
        shelf.event(WatchEvent::Apply(secret("b")));
        shelf.event(WatchEvent::RelistStarted);
        shelf.event(WatchEvent::RelistItem(secret("b")));
        shelf.event(WatchEvent::RelistDone);
        assert_eq!((shelf.get("n", "a"), shelf.count()), (None, 1));
        assert!(shelf.get("n", "b").is_some_and(|keys| keys.contains("token")));
        shelf.event(WatchEvent::Delete(secret("b")));
        assert_eq!(shelf.count(), 0);
    }
}
