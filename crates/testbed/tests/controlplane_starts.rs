//! Starts the real programs: who may log in and do what, and that nothing is left when they end, in whatever way.
#![expect(
    clippy::unwrap_used,
    reason = "the lint's own exception for tests leaves out what several tests share"
)]

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use jiff::{Timestamp, ToSpan};
use k8s_openapi::{
    ByteString,
    api::{
        authentication::v1::SelfSubjectReview,
        certificates::v1::{CertificateSigningRequest, CertificateSigningRequestSpec},
        coordination::v1::Lease,
        core::v1::{Namespace, Node, Secret},
    },
};
use kube::{
    Api, Client,
    api::{ListParams, ObjectMeta, PostParams},
};
use millwright_testbed::{
    BOOTSTRAP_TOKEN_PLACEHOLDER, Components, Data, Identity, Options, Program, RequestKind, Testbed, Way,
};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(60);

async fn shared() -> &'static Testbed {
    Testbed::shared().await.unwrap_or_else(|error| panic!("{error}"))
}

async fn client(identity: Identity) -> Client {
    shared().await.client(identity).await.unwrap()
}

/// Who the API server thinks a client is.
async fn user(client: Client) -> (String, Vec<String>) {
    let api: Api<SelfSubjectReview> = Api::all(client);
    let review = api.create(&PostParams::default(), &SelfSubjectReview::default()).await.unwrap();
    let user = review.status.unwrap().user_info.unwrap();
    (user.username.unwrap(), user.groups.unwrap())
}

fn forbidden<T: std::fmt::Debug>(outcome: kube::Result<T>) -> bool {
    match outcome {
        Err(kube::Error::Api(status)) => status.is_forbidden(),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not happen within {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether a process runs; one that has ended and that nobody reaps does not.
fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

#[tokio::test]
async fn every_identity_is_known_by_its_user_and_groups() {
    for identity in Identity::ALL {
        let (name, groups) = user(client(identity).await).await;
        assert_eq!(name, identity.user());
        for group in identity.groups() {
            assert!(groups.contains(&(*group).to_owned()), "{identity:?}: {group} is not in {groups:?}");
        }
    }
}

#[tokio::test]
async fn rbac_denies_whom_no_binding_names() {
    for identity in [Identity::Stranger, Identity::Controller, Identity::Webhook] {
        let nodes: Api<Node> = Api::all(client(identity).await);
        assert!(forbidden(nodes.list(&ListParams::default()).await), "{identity:?}");
        let secrets: Api<Secret> = Api::namespaced(client(identity).await, "kube-system");
        assert!(forbidden(secrets.list(&ListParams::default()).await), "{identity:?}");
    }
}

#[tokio::test]
async fn the_simulated_cloud_registers_nodes_and_reads_no_secrets() {
    let client = client(Identity::Simcloud).await;
    let name = "registered-directly";
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    let node = Node { metadata: metadata.clone(), ..Node::default() };
    Api::<Node>::all(client.clone()).create(&PostParams::default(), &node).await.unwrap();
    let lease = Lease { metadata, ..Lease::default() };
    Api::<Lease>::namespaced(client.clone(), "kube-node-lease")
        .create(&PostParams::default(), &lease)
        .await
        .unwrap();
    Api::<Node>::all(client.clone()).delete(name, &Default::default()).await.unwrap();
    assert!(forbidden(Api::<Secret>::namespaced(client, "kube-system").list(&ListParams::default()).await));
}

async fn make_bootstrap_token(id: &str, secret: &str) {
    let expiration = now().checked_add(1.hour()).unwrap().to_string();
    let fields = [
        ("token-id", id),
        ("token-secret", secret),
        ("expiration", &expiration),
        ("usage-bootstrap-authentication", "true"),
    ];
    let token = Secret {
        metadata: ObjectMeta { name: Some(format!("bootstrap-token-{id}")), ..ObjectMeta::default() },
        type_: Some("bootstrap.kubernetes.io/token".to_owned()),
        string_data: Some(fields.map(|(key, value)| (key.to_owned(), value.to_owned())).into()),
        ..Secret::default()
    };
    let api: Api<Secret> = Api::namespaced(client(Identity::Admin).await, "kube-system");
    api.create(&PostParams::default(), &token).await.unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the real API server judges the token by the real clock")]
fn now() -> Timestamp {
    Timestamp::now()
}

/// A client as user data makes one: from the template, with a token in place of the placeholder.
async fn bootstrap_client(token: &str) -> Client {
    let text = shared().await.bootstrap_kubeconfig().replace(BOOTSTRAP_TOKEN_PLACEHOLDER, token);
    let kubeconfig = kube::config::Kubeconfig::from_yaml(&text).unwrap();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

#[tokio::test]
async fn a_bootstrap_token_logs_in_and_an_unknown_one_does_not() {
    make_bootstrap_token("aaaaaa", "0123456789abcdef").await;
    // The API server learns of the secret through a watch, so the first attempts may come too early.
    let client = bootstrap_client("aaaaaa.0123456789abcdef").await;
    let api: Api<SelfSubjectReview> = Api::all(client.clone());
    until("logging in with the token", async || {
        api.create(&PostParams::default(), &SelfSubjectReview::default()).await.ok()
    })
    .await;
    let (name, groups) = user(client).await;
    assert_eq!(name, "system:bootstrap:aaaaaa");
    assert!(groups.contains(&"system:bootstrappers".to_owned()), "{groups:?}");

    let unknown: Api<SelfSubjectReview> = Api::all(bootstrap_client("bbbbbb.0123456789abcdef").await);
    let refusal = unknown.create(&PostParams::default(), &SelfSubjectReview::default()).await.unwrap_err();
    assert!(matches!(&refusal, kube::Error::Api(status) if status.code == 401), "{refusal:?}");
}

#[tokio::test]
async fn a_kubelet_with_a_bootstrap_token_gets_its_certificate_signed() {
    make_bootstrap_token("cccccc", "0123456789abcdef").await;
    let client = bootstrap_client("cccccc.0123456789abcdef").await;
    let mut params = rcgen::CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::OrganizationName, "system:nodes");
    params.distinguished_name.push(rcgen::DnType::CommonName, "system:node:joins");
    let key = rcgen::KeyPair::generate().unwrap();
    let request = CertificateSigningRequest {
        metadata: ObjectMeta { name: Some("joins".to_owned()), ..ObjectMeta::default() },
        spec: CertificateSigningRequestSpec {
            request: ByteString(params.serialize_request(&key).unwrap().pem().unwrap().into_bytes()),
            signer_name: "kubernetes.io/kube-apiserver-client-kubelet".to_owned(),
            usages: Some(vec!["digital signature".to_owned(), "client auth".to_owned()]),
            ..CertificateSigningRequestSpec::default()
        },
        ..CertificateSigningRequest::default()
    };
    let api: Api<CertificateSigningRequest> = Api::all(client);
    until("asking for a certificate", async || api.create(&PostParams::default(), &request).await.ok()).await;
    let certificate = until("signing the certificate", async || {
        api.get("joins").await.unwrap().status.and_then(|status| status.certificate)
    })
    .await;
    assert!(String::from_utf8(certificate.0).unwrap().starts_with("-----BEGIN CERTIFICATE-----"));
}

#[tokio::test]
async fn each_test_gets_a_namespace_of_its_own() {
    let testbed = shared().await;
    let (first, second) =
        (testbed.namespace("mine").await.unwrap(), testbed.namespace("mine").await.unwrap());
    assert!(first.starts_with("mine-") && second.starts_with("mine-"), "{first} {second}");
    assert_ne!(first, second);
    Api::<Namespace>::all(client(Identity::Admin).await).get(&first).await.unwrap();
}

#[tokio::test]
async fn kubectl_speaks_the_servers_version() {
    let output = shared().await.kubectl().args(["version", "--output=json"]).output().unwrap();
    let version: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (client, server) = (&version["clientVersion"]["gitVersion"], &version["serverVersion"]["gitVersion"]);
    assert_eq!(client, server);
    assert!(server.as_str().unwrap().starts_with("v1."), "{version}");
}

#[tokio::test]
async fn a_failed_program_is_named_and_a_stopped_testbed_leaves_nothing() {
    let options = Options { components: Components::ApiServerOnly, ..Options::default() };
    let testbed = Testbed::start(options).await.unwrap_or_else(|error| panic!("{error}"));
    let programs = testbed.programs();
    let started: Vec<_> = programs.iter().map(|running| running.program).collect();
    assert_eq!(started, [Program::Etcd, Program::KubeApiserver]);
    assert!(programs.iter().all(|running| lives(running.pid)));
    let folder = testbed.data_dir().to_owned();
    assert!(folder.exists());

    // With nobody else at work, what one client does is all that is counted.
    let before = testbed.metrics().await.unwrap();
    let namespace = testbed.namespace("counted").await.unwrap();
    assert!(namespace.starts_with("counted-"));
    let added = testbed.metrics().await.unwrap().since(&before);
    let namespaces = RequestKind {
        verb: "POST".to_owned(),
        group: String::new(),
        resource: "namespaces".to_owned(),
        subresource: String::new(),
    };
    assert_eq!(added.by_kind().get(&namespaces), Some(&1), "{added:?}");

    let api_server = programs[1].pid;
    Command::new("kill").args(["-KILL", &api_server.to_string()]).status().unwrap();
    let ended = tokio::time::timeout(PATIENCE, testbed.ended()).await.unwrap();
    assert_eq!(ended.name, Program::KubeApiserver.name());

    testbed.stop().await;
    assert!(!programs.iter().any(|running| lives(running.pid)));
    assert!(!folder.exists());
}

/// `testbed serve` in a folder, with what it wrote about itself.
struct Served {
    process: Child,
    folder: PathBuf,
    programs: Vec<u32>,
}

async fn serve(folder: &Path) -> Served {
    let mut process = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .args(["serve", "--dir"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let record = until("getting ready", async || {
        assert!(process.try_wait().unwrap().is_none(), "the testbed ended");
        std::fs::read_to_string(folder.join("testbed.json")).ok()
    })
    .await;
    let record: Value = serde_json::from_str(&record).unwrap();
    let programs: Vec<_> = record["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|program| program["pid"].as_u64().unwrap() as u32)
        .collect();
    assert_eq!(programs.len(), 4);
    assert!(programs.iter().all(|pid| lives(*pid)));
    Served { process, folder: folder.to_owned(), programs }
}

fn verb(verb: &str, folder: &Path) -> (bool, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_testbed")).args([verb, "--dir"]).arg(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.success(), text)
}

#[tokio::test]
async fn nothing_outlives_an_owner_that_is_killed() {
    // Binaries first: building them takes longer than any patience here.
    shared().await;
    let folder = tempfile::tempdir().unwrap();
    let Served { mut process, folder, programs } = serve(folder.path()).await;
    process.kill().unwrap();
    process.wait().unwrap();
    until("the end of all programs", async || (!programs.iter().any(|pid| lives(*pid))).then_some(())).await;
    let (up, _) = verb("status", &folder);
    assert!(!up);
}

#[tokio::test]
async fn down_ends_what_up_has_started() {
    shared().await;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (up, told) = verb("up", folder);
    assert!(up, "{told}");
    assert!(told.contains("KUBECONFIG="), "{told}");
    let (still_up, status) = verb("status", folder);
    assert!(still_up, "{status}");
    assert_eq!(verb("up", folder), (true, status), "a second up finds it");
    let record: Value = serde_json::from_slice(&std::fs::read(folder.join("testbed.json")).unwrap()).unwrap();
    let pids: Vec<_> = record["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|program| program["pid"].as_u64().unwrap() as u32)
        .collect();
    assert_eq!(pids.len(), 4);

    let (down, told) = verb("down", folder);
    assert!(down && told.contains("is ended"), "{told}");
    assert!(!pids.iter().any(|pid| lives(*pid)));
    assert!(!verb("status", folder).0);
    assert!(verb("down", folder).1.contains("no testbed runs"));
}

#[tokio::test]
async fn a_data_folder_that_is_a_file_is_named_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let options = Options { data: Data::Folder(file.clone()), ..Options::default() };
    let error = Testbed::start(options).await.err().unwrap();
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
}

/// Whether the API server answers this client within a few seconds.
async fn answers(client: &Client) -> bool {
    let api: Api<Namespace> = Api::all(client.clone());
    let asked = tokio::time::timeout(Duration::from_secs(5), api.get("default"));
    matches!(asked.await, Ok(Ok(_)))
}

#[tokio::test]
async fn the_api_server_sleeps_and_wakes_and_dies_and_comes_back_with_its_data() {
    let options = Options { components: Components::ApiServerOnly, ..Options::default() };
    let testbed = Testbed::start(options).await.unwrap();
    let namespace = testbed.namespace("kept").await.unwrap();
    let client = testbed.client(Identity::Admin).await.unwrap();

    testbed.pause_api_server();
    assert!(!answers(&client).await, "it answers while it sleeps");
    testbed.resume_api_server();
    until("an answer after the sleep", async || answers(&client).await.then_some(())).await;

    let before = testbed.server_url().to_owned();
    testbed.kill_api_server();
    assert!(!answers(&client).await, "it answers although it is dead");
    testbed.start_api_server().await.unwrap();
    assert_eq!(testbed.server_url(), before);
    until("an answer after the death", async || answers(&client).await.then_some(())).await;
    Api::<Namespace>::all(client).get(&namespace).await.unwrap();
    testbed.stop().await;
}

#[tokio::test]
async fn a_client_behind_a_passage_is_cut_off_while_others_are_not() {
    let testbed = shared().await;
    let passage = testbed.passage().await.unwrap();
    let kubeconfig = testbed.kubeconfig_through(Identity::Admin, &passage).unwrap();
    let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig).unwrap();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await.unwrap();
    let behind = Client::try_from(config).unwrap();
    let other = client(Identity::Admin).await;
    assert!(answers(&behind).await);
    for way in [Way::Broken, Way::Silent] {
        passage.set(way);
        assert!(!answers(&behind).await, "{way:?} lets requests through");
        assert!(answers(&other).await);
        passage.set(Way::Open);
        until("an answer through the open way", async || answers(&behind).await.then_some(())).await;
    }
    let template = testbed.bootstrap_kubeconfig_through(&passage);
    assert!(template.contains(&passage.url()) && !template.contains(testbed.server_url()));
}
