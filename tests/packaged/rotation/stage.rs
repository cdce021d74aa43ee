//! A namespace with a registration and rights of its own, a balancer, and replicas behind it. The rights are those of
//! config/components/self-signed, under a name prefix: kustomize must have found every place that names something.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};
use millwright_testbed::{Identity, OurProgram, Ports, Recipe};
use serde_json::{Value, json};

use super::balancer::Balancer;
use super::replica::Replica;
use crate::guests::Guest;
use crate::house::{House, OLD_TIMES, house, write};
use crate::patience::until;

const SECRET: &str = "millwright-webhook-self-signed";
const PATIENCE: Duration = Duration::from_secs(120);

static STARTED: AtomicUsize = AtomicUsize::new(0);

/// Where a test plays.
pub(crate) struct Stage {
    pub(crate) house: Arc<House>,
    pub(crate) namespace: String,
    pub(crate) balancer: Balancer,
    guest: Guest,
}

/// What the API server is told.
#[derive(Clone)]
pub(crate) struct Registered {
    client: Client,
    name: String,
}

/// A Secret as it was read.
pub(crate) struct Kept(Secret);

impl Kept {
    fn text(&self, key: &str) -> String {
        let data = self.0.data.as_ref().and_then(|data| data.get(key));
        data.map(|bytes| String::from_utf8_lossy(&bytes.0).into_owned()).unwrap_or_default()
    }

    /// Everything is in it, and nothing of a rotation.
    pub(crate) fn is_whole(&self) -> bool {
        ["ca.crt", "tls.crt"].iter().all(|key| self.text(key).starts_with("-----BEGIN CERTIFICATE-----"))
            && ["ca.key", "tls.key"]
                .iter()
                .all(|key| self.text(key).starts_with("-----BEGIN PRIVATE KEY-----"))
            && self.text("ca-old.crt").is_empty()
    }
}

impl Registered {
    /// Whom both configurations name in each of their entries; `None` while they differ.
    pub(crate) async fn bundle_pem(&self) -> Option<Vec<u8>> {
        let mutating: Api<MutatingWebhookConfiguration> = Api::all(self.client.clone());
        let validating: Api<ValidatingWebhookConfiguration> = Api::all(self.client.clone());
        let mutating = mutating.get(&self.name).await.ok()?.webhooks.unwrap_or_default();
        let validating = validating.get(&self.name).await.ok()?.webhooks.unwrap_or_default();
        let mutating = mutating.into_iter().map(|entry| entry.client_config.ca_bundle);
        let validating = validating.into_iter().map(|entry| entry.client_config.ca_bundle);
        let mut bundles: Vec<Vec<u8>> =
            mutating.chain(validating).map(|bundle| bundle.unwrap_or_default().0).collect();
        assert_eq!(bundles.len(), 3, "an entry is missing");
        bundles.dedup();
        let bundle = bundles.pop()?;
        (bundles.is_empty() && !bundle.is_empty()).then_some(bundle)
    }
}

impl Stage {
    /// Registers what will be there.
    pub(crate) async fn set(prefix: &str) -> Self {
        Self::with(prefix, &[]).await
    }

    /// The same with the rights of further components of config/components.
    pub(crate) async fn with(prefix: &str, components: &[&str]) -> Self {
        let house = Arc::clone(house().await);
        let guest = Guest::arrives();
        let namespace = house.testbed.namespace(prefix).await.unwrap();
        // The house's own webhook is not asked here.
        house.kubectl_must(&["label", "namespace", &namespace, &format!("{OLD_TIMES}=yes")]).await;
        let stage = Self { house, namespace, balancer: Balancer::start().await, guest };
        stage.install(components).await;
        stage
    }

    async fn install(&self, components: &[&str]) {
        let folder = self.house.folder(&self.namespace);
        let root = millwright_testbed::root().canonicalize().unwrap();
        let ups = "../".repeat(folder.canonicalize().unwrap().components().count() - 1);
        let config =
            |path: &str| format!("{ups}{}/config/{path}", root.display().to_string().trim_start_matches('/'));
        let selector = json!({ "matchLabels": { "kubernetes.io/metadata.name": self.namespace } });
        let url = |path: &str| format!("https://127.0.0.1:{}/{path}", self.balancer.port());
        // The patience of the API server is not what is tested, and the machine may be busy.
        let entry = |index: usize, path: &str| {
            [
                ("clientConfig", json!({ "url": url(path) })),
                ("namespaceSelector", selector.clone()),
                ("timeoutSeconds", json!(30)),
            ]
            .map(|(field, value)| json!({ "op": "add", "path": format!("/webhooks/{index}/{field}"), "value": value }))
        };
        let patch = |kind: &str, entries: &[[Value; 3]]| json!({ "target": { "kind": kind }, "patch": json!(entries.concat()).to_string() });
        let components: Vec<String> = ["self-signed"]
            .iter()
            .chain(components)
            .map(|name| config(&format!("components/{name}")))
            .collect();
        let kustomization = json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "namespace": self.namespace,
            "namePrefix": format!("{}-", self.namespace),
            "resources": [config("webhook/registration")],
            "components": components,
            "patches": [
                patch("MutatingWebhookConfiguration", &[entry(0, "mutate")]),
                patch("ValidatingWebhookConfiguration", &[entry(0, "validate"), entry(1, "validate")]),
            ],
        });
        write(&folder.join("kustomization.yaml"), &kustomization);
        self.house.kubectl_must(&["apply", "-k", &folder.display().to_string()]).await;
    }

    /// Starts a replica, which is ready when this returns.
    pub(crate) async fn start(&self, flags: &[&str]) -> Replica {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("webhook-{}-{number}", self.namespace);
        let kubeconfig = self.house.testbed.kubeconfig(Identity::Webhook);
        let configuration = format!("{}-millwright", self.namespace);
        let recipe = Recipe {
            name: &name,
            executable: self.house.executables[&OurProgram::Webhook].clone(),
            log: self.house.testbed.log_file(&name),
            arguments: &|[port, metrics_port]: Ports| {
                let mut arguments = vec![
                    format!("--listen=127.0.0.1:{port}"),
                    format!("--metrics-listen=127.0.0.1:{metrics_port}"),
                    format!("--kubeconfig={}", kubeconfig.display()),
                    "--certificates=self-signed".to_owned(),
                    format!("--service-namespace={}", self.namespace),
                    "--certificate-host=127.0.0.1".to_owned(),
                    format!("--mutating-configuration={configuration}"),
                    format!("--validating-configuration={configuration}"),
                    "--tls-reload-interval=1s".to_owned(),
                ];
                arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
                arguments
            },
            ready_url: &|[_, metrics_port]| format!("http://127.0.0.1:{metrics_port}/readyz"),
            patience: PATIENCE,
        };
        let started = self.house.testbed.start_process(&recipe).await;
        let (process, [port, metrics_port]) = started.unwrap_or_else(|error| panic!("{error}"));
        Replica { port, metrics_port, process }
    }

    /// Starts two at once, behind the balancer.
    pub(crate) async fn start_two(&self, flags: &[&str]) -> Vec<Replica> {
        let (one, two) = tokio::join!(self.start(flags), self.start(flags));
        self.balancer.add(one.port);
        self.balancer.add(two.port);
        vec![one, two]
    }

    /// Waits until the API server asks the replicas and trusts them: it takes a moment to learn of a registration.
    pub(crate) async fn is_asked(&self) {
        let mut class = crate::manifests::class("probe", "any", "http://127.0.0.1:1");
        class["metadata"]["namespace"] = json!(self.namespace);
        class["providerSpec"]["diskGiB"] = json!(0);
        let file = self.house.folder(&self.namespace).join("probe.json");
        write(&file, &class);
        let file = file.display().to_string();
        let mut in_a_row = 0;
        until("the replicas are asked", async || {
            let said = self.house.kubectl(&["create", "--dry-run=server", "-f", &file]).await;
            in_a_row = if said.stderr.contains("diskGiB") { in_a_row + 1 } else { 0 };
            (in_a_row == 3).then_some(())
        })
        .await;
    }

    pub(crate) fn registered(&self) -> Registered {
        Registered { client: self.house.client.clone(), name: format!("{}-millwright", self.namespace) }
    }

    /// Whom the API server trusts, as PEM.
    pub(crate) async fn bundle_pem(&self) -> Option<Vec<u8>> {
        self.registered().bundle_pem().await
    }

    /// The same as one text for each CA.
    pub(crate) async fn bundle(&self) -> Option<Vec<String>> {
        let pem = String::from_utf8(self.bundle_pem().await?).unwrap();
        let end = "-----END CERTIFICATE-----\n";
        Some(pem.split_inclusive(end).map(str::to_owned).collect())
    }

    /// How many CAs are trusted.
    pub(crate) async fn bundles_seen(&self) -> usize {
        until("the registrations trust somebody", async || self.bundle().await).await.len()
    }

    /// The CA that is trusted, once it is the only one.
    pub(crate) async fn newest_ca(&self) -> String {
        let alone = async || self.bundle().await.filter(|cas| cas.len() == 1)?.pop();
        until("one CA is trusted", alone).await
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.house.client.clone(), &self.namespace)
    }

    pub(crate) async fn try_secret(&self) -> Option<Kept> {
        self.secrets().get_opt(SECRET).await.ok()?.map(Kept)
    }

    pub(crate) async fn delete_secret(&self) {
        self.house.kubectl_must(&["--namespace", &self.namespace, "delete", "secret", SECRET]).await;
    }

    pub(crate) async fn patch_secret(&self, patch: &str) {
        let arguments =
            ["--namespace", &self.namespace, "patch", "secret", SECRET, "--type=merge", "--patch", patch];
        self.house.kubectl_must(&arguments).await;
    }

    /// How many CAs each replica made.
    pub(crate) async fn each_made(&self, replicas: &[Replica]) -> Vec<u64> {
        let mut made = Vec::new();
        for replica in replicas {
            made.push(replica.metric("millwright_webhook_certificate_renewals_total{what=\"ca\"}").await);
        }
        made
    }

    /// How many CAs and how many further certificates all of them made.
    pub(crate) async fn renewals(&self, replicas: &[Replica]) -> (u64, u64) {
        let mut certificates = 0;
        for replica in replicas {
            certificates +=
                replica.metric("millwright_webhook_certificate_renewals_total{what=\"certificate\"}").await;
        }
        (self.each_made(replicas).await.iter().sum(), certificates)
    }

    /// Ends all, takes the registration away, and makes sure that no key was told to anybody.
    pub(crate) async fn strike(self, replicas: Vec<Replica>) {
        let kept = until("the Secret is there", async || self.try_secret().await).await;
        // A line from the middle of a key is enough to know it by.
        let keys: Vec<String> = ["ca.key", "tls.key"]
            .iter()
            .map(|key| kept.text(key).lines().nth(1).unwrap().to_owned())
            .collect();
        for replica in replicas {
            let log = std::fs::read_to_string(replica.process.log()).unwrap();
            assert!(!keys.iter().any(|key| log.contains(key)), "a key was told: {log}");
            replica.end().await;
        }
        let folder = self.house.folder(&self.namespace).display().to_string();
        self.house.kubectl_must(&["delete", "-k", &folder]).await;
        self.house.kubectl_must(&["delete", "namespace", &self.namespace, "--wait=false"]).await;
        self.guest.leaves_content();
    }
}
