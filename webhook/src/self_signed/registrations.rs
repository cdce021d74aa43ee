//! The two webhook configurations: which of their entries are ours, whom they trust, and how that is changed.

use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;

use super::server_names::ServerNames;

/// Who wrote a field, in managedFields.
const MANAGER: &str = "millwright-webhook";

/// Access to the two.
pub(crate) struct Registrations {
    mutating: Api<MutatingWebhookConfiguration>,
    validating: Api<ValidatingWebhookConfiguration>,
    mutating_name: String,
    validating_name: String,
    names: ServerNames,
}

/// One configuration as it was read.
pub(crate) struct Registration {
    kind: Kind,
    resource_version: Option<String>,
    /// Name and caBundle of each entry that is ours.
    entries: Vec<(String, Vec<u8>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mutating,
    Validating,
}

impl Registration {
    /// The caBundles of our entries.
    pub(crate) fn bundles(&self) -> impl Iterator<Item = Vec<u8>> {
        self.entries.iter().map(|(_, bundle)| bundle.clone())
    }

    fn new(kind: Kind, resource_version: Option<String>, entries: Vec<(String, Vec<u8>)>) -> Self {
        Self { kind, resource_version, entries }
    }
}

impl Registrations {
    pub(crate) fn new(client: &Client, mutating: &str, validating: &str, names: ServerNames) -> Self {
        Self {
            mutating: Api::all(client.clone()),
            validating: Api::all(client.clone()),
            mutating_name: mutating.to_owned(),
            validating_name: validating.to_owned(),
            names,
        }
    }

    /// Reads both. One that is missing asks nobody, so nobody must be told.
    pub(crate) async fn read(&self) -> kube::Result<Vec<Registration>> {
        let mut both = Vec::new();
        if let Some(found) = self.mutating.get_opt(&self.mutating_name).await? {
            let entries = found.webhooks.unwrap_or_default();
            let ours = self.ours(entries.into_iter().map(|entry| (entry.name, entry.client_config)));
            both.push(Registration::new(Kind::Mutating, found.metadata.resource_version, ours));
        }
        if let Some(found) = self.validating.get_opt(&self.validating_name).await? {
            let entries = found.webhooks.unwrap_or_default();
            let ours = self.ours(entries.into_iter().map(|entry| (entry.name, entry.client_config)));
            both.push(Registration::new(Kind::Validating, found.metadata.resource_version, ours));
        }
        Ok(both)
    }

    /// Writes the bundle into our entries of a configuration that has another, unless somebody changed it since it was read.
    pub(crate) async fn write(&self, registration: &Registration, bundle: &str) -> kube::Result<()> {
        let stale = registration.entries.iter().filter(|(_, has)| has != bundle.as_bytes());
        let bundle = ByteString(bundle.as_bytes().to_vec());
        let webhooks: Vec<_> =
            stale.map(|(name, _)| json!({ "name": name, "clientConfig": { "caBundle": bundle } })).collect();
        if webhooks.is_empty() {
            return Ok(());
        }
        // Entries are merged by name, so nothing else of them changes.
        let patch = json!({
            "metadata": { "resourceVersion": registration.resource_version },
            "webhooks": webhooks,
        });
        let (patch, params) = (
            Patch::Strategic(patch),
            PatchParams { field_manager: Some(MANAGER.into()), ..PatchParams::default() },
        );
        match registration.kind {
            Kind::Mutating => self.mutating.patch(&self.mutating_name, &params, &patch).await.map(drop),
            Kind::Validating => self.validating.patch(&self.validating_name, &params, &patch).await.map(drop),
        }
    }

    fn ours(&self, entries: impl Iterator<Item = (String, WebhookClientConfig)>) -> Vec<(String, Vec<u8>)> {
        entries
            .filter(|(_, to)| is_ours(to, &self.names))
            .map(|(name, to)| (name, to.ca_bundle.unwrap_or_default().0))
            .collect()
    }
}

/// Whether an entry leads to this webhook: by its Service, or by a URL of one of its hosts.
fn is_ours(to: &WebhookClientConfig, names: &ServerNames) -> bool {
    if let Some(service) = &to.service {
        return service.name == names.service && service.namespace == names.namespace;
    }
    let host = to.url.as_deref().and_then(|url| url.parse::<http::Uri>().ok()?.host().map(str::to_owned));
    host.is_some_and(|host| names.all().iter().any(|name| *name == host.trim_matches(['[', ']'])))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::admissionregistration::v1::ServiceReference;

    use super::*;

    #[test]
    fn an_entry_is_ours_by_its_service_or_by_the_host_of_its_url() {
        let hosts = ["127.0.0.1".to_owned(), "::1".to_owned(), "hook.example".to_owned()];
        let names = ServerNames::new("hook", "ns", &hosts).unwrap();
        let service = |name: &str, namespace: &str| WebhookClientConfig {
            service: Some(ServiceReference {
                name: name.to_owned(),
                namespace: namespace.to_owned(),
                ..ServiceReference::default()
            }),
            ..WebhookClientConfig::default()
        };
        let url =
            |url: &str| WebhookClientConfig { url: Some(url.to_owned()), ..WebhookClientConfig::default() };
        for (to, ours) in [
            (service("hook", "ns"), true),
            (service("hook", "other"), false),
            (service("other", "ns"), false),
            (url("https://127.0.0.1:9443/validate"), true),
            (url("https://[::1]:9443/validate"), true),
            (url("https://hook.example/mutate"), true),
            (url("https://hook.ns.svc/mutate"), true),
            (url("https://elsewhere.example/mutate"), false),
            (url("no url at all"), false),
            (WebhookClientConfig::default(), false),
        ] {
            assert_eq!(is_ours(&to, &names), ours, "{to:?}");
        }
    }
}
