//! An API server with the installation, cert-manager beside it, and what a test asks them.

use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use millwright_api::MachineClass;
use millwright_testbed::{
    Binaries, CertManager, Components, Executables, Identity, Options, OurProgram, Process, Profile, Recipe,
    StandardError, Testbed, build, kubectl, root,
};
use serde_json::{Value, json};
use tokio::sync::MutexGuard;

use super::certificate::Issued;
use super::secret_volume::SecretVolume;
use crate::house::{PROGRAMS, own_turn};
use crate::manifests;
use crate::patience::until;

pub(super) const NAMESPACE: &str = "millwright-system";
/// The Certificate of the authority.
pub(super) const CA: &str = "millwright-ca";
/// The Certificate that the webhook serves.
pub(super) const SERVING: &str = "millwright-webhook";
/// The Service, and both registrations.
const SERVICE: &str = "millwright-webhook";
const REGISTRATION: &str = "millwright";

pub(super) struct Site {
    pub(super) client: Client,
    executables: Executables,
    webhook: Option<(Process, u16)>,
    volume: Option<SecretVolume>,
    // Fields are dropped in this order: programs belong to the testbed's guard, and who waits for a turn waits for all.
    cert_manager: CertManager,
    testbed: Testbed,
    _turn: MutexGuard<'static, ()>,
}

impl Site {
    pub(super) async fn build() -> Self {
        // One build at a time, and everybody waits for the control plane; nobody shall wait in our turn.
        Binaries::locate(&StandardError).await.unwrap();
        let folder = CertManager::build(&StandardError).await.unwrap();
        let executables = build(&PROGRAMS, Profile::Dev).await.unwrap();
        let turn = own_turn().await;
        let options = Options { components: Components::ApiServerOnly, ..Options::default() };
        let testbed = Testbed::start(options).await.unwrap();
        let cert_manager = CertManager::start(&testbed, &folder).await.unwrap();
        let default = root().join("config/default").display().to_string();
        kubectl::must(&testbed, &["apply", "--server-side", "-k", &default]).await.unwrap();
        let client = testbed.client(Identity::Admin).await.unwrap();
        Self { client, executables, webhook: None, volume: None, cert_manager, testbed, _turn: turn }
    }

    /// Starts the webhook with a certificate and leads the Service to it. No node, no endpoints: a name in their place makes
    /// the API server connect to 127.0.0.1 and still ask for the Service's certificate.
    pub(super) async fn start_webhook(&mut self, certificate: &Issued) {
        let folder = self.testbed.data_dir().join("secret-volume");
        let volume = SecretVolume::mount(folder, certificate);
        let recipe = Recipe {
            name: "millwright-webhook",
            executable: self.executables[&OurProgram::Webhook].clone(),
            log: self.testbed.log_file("millwright-webhook"),
            arguments: &|[port, metrics_port]| {
                vec![
                    format!("--listen=127.0.0.1:{port}"),
                    format!("--metrics-listen=127.0.0.1:{metrics_port}"),
                    format!("--tls-cert-file={}", volume.file("tls.crt").display()),
                    format!("--tls-private-key-file={}", volume.file("tls.key").display()),
                    "--tls-reload-interval=500ms".to_owned(),
                ]
            },
            ready_url: &|[_, metrics_port]| format!("http://127.0.0.1:{metrics_port}/readyz"),
            patience: Duration::from_secs(90),
        };
        let (process, [port, _]) = self.testbed.start_process(&recipe).await.unwrap();
        let spec = json!({ "spec": { "type": "ExternalName", "externalName": "127.0.0.1" } }).to_string();
        self.kubectl(&["patch", "service", SERVICE, "--type=merge", "-p", &spec]).await;
        for kind in ["mutatingwebhookconfiguration", "validatingwebhookconfiguration"] {
            let entries = self.get(&[kind, REGISTRATION]).await["webhooks"].as_array().unwrap().len();
            // Whether it is trusted is the question here, not how soon a busy machine answers.
            let patch: Vec<_> = (0..entries)
                .flat_map(|entry| [(entry, "clientConfig/service/port", port), (entry, "timeoutSeconds", 30)])
                .map(|(entry, field, value)| (format!("/webhooks/{entry}/{field}"), value))
                .map(|(path, value)| json!({ "op": "replace", "path": path, "value": value }))
                .collect();
            self.kubectl(&["patch", kind, REGISTRATION, "--type=json", "-p", &json!(patch).to_string()])
                .await;
        }
        self.webhook = Some((process, port));
        self.volume = Some(volume);
    }

    /// Gives the webhook's files another content, as the kubelets do a while after the Secret has changed.
    pub(super) fn project(&mut self, certificate: &Issued) {
        self.volume.as_mut().unwrap().show(certificate);
    }

    pub(super) fn webhook_port(&self) -> u16 {
        self.webhook.as_ref().unwrap().1
    }

    /// What the Secret of a Certificate holds, once cert-manager calls it ready.
    pub(super) async fn issued(&self, certificate: &str) -> Issued {
        until(&format!("{certificate} is issued"), async || self.look(certificate).await).await
    }

    /// What it holds once that is no longer what `before` was.
    pub(super) async fn issued_after(&self, certificate: &str, before: &Issued) -> Issued {
        let renewed =
            async || self.look(certificate).await.filter(|now| now.certificate != before.certificate);
        until(&format!("{certificate} is renewed"), renewed).await
    }

    async fn look(&self, certificate: &str) -> Option<Issued> {
        let stored = self.certificates().get(certificate).await.unwrap().data;
        let is = |kind: &str| {
            let conditions = stored["status"]["conditions"].as_array().into_iter().flatten();
            conditions.into_iter().any(|one| one["type"] == kind && one["status"] == "True")
        };
        if !is("Ready") || is("Issuing") {
            return None;
        }
        let secret = stored["spec"]["secretName"].as_str().unwrap();
        self.secrets().get_opt(secret).await.unwrap().and_then(Issued::read)
    }

    /// What `cmctl renew` does.
    pub(super) async fn renew(&self, certificate: &str) {
        until(&format!("{certificate} shall be renewed"), async || {
            let stored = self.certificates().get(certificate).await.unwrap();
            let mut conditions = stored.data["status"]["conditions"].as_array().unwrap().clone();
            conditions.retain(|condition| condition["type"] != "Issuing");
            conditions.push(json!({
                "type": "Issuing",
                "status": "True",
                "reason": "ManuallyTriggered",
                "message": "Certificate re-issuance manually triggered",
                "lastTransitionTime": jiff::Timestamp::UNIX_EPOCH.to_string(),
                "observedGeneration": stored.metadata.generation,
            }));
            let patch = json!({
                "metadata": { "resourceVersion": stored.metadata.resource_version },
                "status": { "conditions": conditions },
            });
            // A conflict is answered with another try.
            let parameters = PatchParams::default();
            self.certificates().patch_status(certificate, &parameters, &Patch::Merge(&patch)).await.ok()
        })
        .await;
    }

    /// Whether every entry of both registrations trusts the authority that `issued` came with.
    pub(super) async fn trusts(&self, issued: &Issued) -> bool {
        let bundles = bundles(&self.client).await;
        bundles.len() > 1 && bundles.iter().all(|bundle| *bundle == issued.authority)
    }

    /// Whether a class with a mistake is refused by the webhook, with its words.
    pub(super) async fn refuses_a_bad_object(&self) -> bool {
        let mut class = manifests::class("bad", "site", "http://127.0.0.1:1");
        class["providerSpec"]["diskGiB"] = json!(0);
        let refused = try_create(&self.client, &class).await.unwrap_err().to_string();
        refused.contains("providerSpec.diskGiB")
    }

    pub(super) async fn get(&self, what: &[&str]) -> Value {
        let arguments = [&["get", "-n", NAMESPACE, "-o", "json"], what].concat();
        kubectl::json(&self.testbed, &arguments).await.unwrap()
    }

    async fn kubectl(&self, arguments: &[&str]) {
        kubectl::must(&self.testbed, &[&["-n", NAMESPACE], arguments].concat()).await.unwrap();
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    fn certificates(&self) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("cert-manager.io", "v1", "Certificate");
        Api::namespaced_with(self.client.clone(), NAMESPACE, &ApiResource::from_gvk(&kind))
    }

    pub(super) async fn end(self) {
        let Self { webhook, mut cert_manager, testbed, .. } = self;
        drop(webhook);
        assert!(cert_manager.controller.ended().is_none() && cert_manager.injector.ended().is_none());
        drop(cert_manager);
        testbed.stop().await;
    }
}

/// Whom the registrations trust, each entry's.
pub(super) async fn bundles(client: &Client) -> Vec<String> {
    let mutating: Api<MutatingWebhookConfiguration> = Api::all(client.clone());
    let validating: Api<ValidatingWebhookConfiguration> = Api::all(client.clone());
    let mutating = mutating.get(REGISTRATION).await.unwrap().webhooks.into_iter().flatten();
    let validating = validating.get(REGISTRATION).await.unwrap().webhooks.into_iter().flatten();
    let bundle =
        |config: WebhookClientConfig| String::from_utf8(config.ca_bundle.unwrap_or_default().0).unwrap();
    mutating
        .map(|entry| bundle(entry.client_config))
        .chain(validating.map(|entry| bundle(entry.client_config)))
        .collect()
}

/// Sends an object through admission, and stores nothing.
pub(super) async fn try_create(client: &Client, class: &Value) -> kube::Result<MachineClass> {
    let classes: Api<MachineClass> = Api::namespaced(client.clone(), "default");
    let parameters = PostParams { dry_run: true, ..PostParams::default() };
    classes.create(&parameters, &serde_json::from_value(class.clone()).unwrap()).await
}
