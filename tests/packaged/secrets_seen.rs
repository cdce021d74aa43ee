//! Every secret text there was during the run, and the search for them where they must not be.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures::TryStreamExt as _;
use k8s_openapi::api::core::v1::Secret;
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{Api, Client};
use tokio::task::JoinHandle;

/// Bootstrap tokens as they come, and what tests add.
#[derive(Default)]
pub(crate) struct SecretsSeen {
    seen: Arc<Mutex<Seen>>,
    task: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Seen {
    texts: BTreeSet<String>,
    /// Descriptions of bootstrap tokens, which name their machines.
    descriptions: BTreeSet<String>,
}

impl Seen {
    fn add_token(&mut self, secret: &Secret) {
        let text = |key: &str| {
            let bytes = &secret.data.as_ref()?.get(key)?.0;
            String::from_utf8(bytes.clone()).ok()
        };
        self.texts.extend(text("token-secret"));
        self.descriptions.extend(text("description"));
    }
}

impl Drop for SecretsSeen {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl SecretsSeen {
    /// Collects the bootstrap tokens from now on.
    pub(crate) fn watch(client: &Client) -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let api: Api<Secret> = Api::namespaced(client.clone(), "kube-system");
        let tokens = watcher::Config::default().fields("type=bootstrap.kubernetes.io/token");
        let collected = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let objects = watcher(api, tokens).default_backoff().applied_objects();
            let collect = objects.try_for_each(|secret| {
                collected.lock().unwrap().add_token(&secret);
                futures::future::ready(Ok(()))
            });
            drop(collect.await);
        });
        Self { seen, task: Some(task) }
    }

    /// Another text that must not show up.
    pub(crate) fn add(&self, text: &str) {
        self.seen.lock().unwrap().texts.insert(text.to_owned());
    }

    /// Whether there ever was a bootstrap token for that machine.
    pub(crate) fn had_token(&self, machine: &str) -> bool {
        let name = format!("\"{machine}\"");
        self.seen.lock().unwrap().descriptions.iter().any(|description| description.contains(&name))
    }

    /// Looks for secrets in what users read.
    pub(crate) fn must_not_be_in(&self, what: &str, text: &str) {
        for secret in &self.seen.lock().unwrap().texts {
            // The secret itself is not repeated: this is printed.
            assert!(
                !text.contains(secret.as_str()),
                "{what} contains a secret of {} characters",
                secret.len()
            );
        }
    }

    /// Looks for secrets and panics in a log.
    pub(crate) fn log_must_be_clean(&self, log: &Path) {
        let text = std::fs::read_to_string(log).unwrap();
        self.must_not_be_in(&log.display().to_string(), &text);
        assert!(!text.contains("panicked"), "{} tells of a panic:\n{text}", log.display());
    }
}

#[test]
fn a_secret_is_found_where_it_must_not_be() {
    let seen = SecretsSeen::default();
    seen.add("hush-hush");
    seen.must_not_be_in("a clean text", "nothing here");
    let found = std::panic::catch_unwind(|| seen.must_not_be_in("a log", "token=hush-hush"));
    assert!(found.is_err());
}
