//! Calls by a role: one that a user's key assumes, and one of the VM on which the controller runs.

use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::{any, put};
use http::{HeaderMap, StatusCode, Uri};
use millwright_cloud_http::{Endpoint, Endpoints};
use millwright_clouds::{Call, Fault, FaultProxy, Moto, MotoOptions, When};
use millwright_provider::{ClassView, Credentials, Deadline, Dialect, Provider as _, ProviderError};
use millwright_provider_aws::AwsProvider;
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::lab::{CLUSTER, ROLE, access};
use crate::rows::refusal_of;

fn credentials(pairs: &[(&str, &str)]) -> Credentials {
    let pairs = pairs.iter().chain(&[("userData", "#cloud-config")]);
    Credentials::merge([pairs.map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec())).collect()])
}

fn assumed() -> Credentials {
    credentials(&[
        ("accessKeyID", "AKIAGOODGOODGOODGOOD"),
        ("secretAccessKey", "a-secret-of-a-user"),
        ("roleARN", "arn:aws:iam::123456789012:role/machines"),
        ("roleExternalID", "external-id-of-ours"),
    ])
}

fn spec() -> Value {
    json!({
        "ami": "ami-1", "region": "eu-west-1", "machineType": "m5.large", "iam": { "name": "nodes" },
        "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
        "networkInterfaces": [{ "subnetID": "subnet-1", "securityGroupIDs": ["sg-1"] }],
        "tags": { CLUSTER: "1", ROLE: "1" }
    })
}

async fn list(provider: &AwsProvider, credentials: &Credentials) -> Result<usize, ProviderError> {
    let spec = spec();
    let class = ClassView {
        dialect: Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec: &spec,
        node_template: None,
    };
    let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
    provider.list(class, credentials, deadline).await.map(|listed| listed.len())
}

async fn behind_a_proxy() -> (Moto, FaultProxy, AwsProvider) {
    let moto = Moto::start(MotoOptions::default()).await.unwrap();
    let proxy = FaultProxy::before(&[moto.url()], Call::reads_by_action).await.unwrap();
    let provider = AwsProvider::new(access(proxy.url()));
    (moto, proxy, provider)
}

fn actions(proxy: &FaultProxy) -> Vec<String> {
    proxy.calls().iter().filter_map(|call| call.form_field("Action")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_a_role_is_asked_for_once_and_signs_every_call() {
    let (_moto, proxy, provider) = behind_a_proxy().await;
    for _ in 0..2 {
        assert_eq!(list(&provider, &assumed()).await.unwrap(), 0);
    }
    let calls = proxy.calls();
    assert_eq!(actions(&proxy).iter().filter(|action| *action == "AssumeRole").count(), 1);
    let assume = &calls[0];
    assert_eq!(assume.form_field("ExternalId").as_deref(), Some("external-id-of-ours"));
    for call in &calls[1..] {
        assert!(call.headers.contains_key("x-amz-security-token"), "{call:?}");
        assert!(
            !call.headers["authorization"].to_str().unwrap().contains("AKIAGOOD"),
            "signed by the user, not the role"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_may_not_be_assumed_is_told_of_by_its_code_and_no_call_is_made() {
    let (_moto, proxy, provider) = behind_a_proxy().await;
    let refused = refusal_of("AccessDenied", "not authorized to perform sts:AssumeRole", 403);
    proxy.add(Fault::new(When::Always, refused, |call| {
        call.form_field("Action").as_deref() == Some("AssumeRole")
    }));
    let error = list(&provider, &assumed()).await.unwrap_err();
    assert_eq!(error.code.name(), "PermissionDenied", "{error}");
    assert!(error.message.contains("role/machines") && !error.message.contains("a-secret-of"), "{error}");
    assert_eq!(actions(&proxy), ["AssumeRole"]);
}

/// The metadata service of a VM whose role is called machines. It answers only who shows its session token.
async fn metadata() -> (String, AbortOnDropHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let token = || async { ([("x-aws-ec2-metadata-token-ttl-seconds", "21600")], "session-of-the-vm") };
    let router = Router::new().route("/latest/api/token", put(token)).fallback(any(|uri: Uri, headers: HeaderMap| async move {
        let shown = headers.get("x-aws-ec2-metadata-token").and_then(|value| value.to_str().ok());
        if shown != Some("session-of-the-vm") {
            return (StatusCode::UNAUTHORIZED, String::new());
        }
        match uri.path().trim_end_matches('/') {
            "/latest/meta-data/iam/security-credentials" => (StatusCode::OK, "machines".to_owned()),
            "/latest/meta-data/iam/security-credentials/machines" => {
                let keys = json!({
                    "Code": "Success", "Type": "AWS-HMAC", "LastUpdated": "2026-01-01T00:00:00Z",
                    "AccessKeyId": "ASIAOFTHEVM", "SecretAccessKey": "s", "Token": "t", "Expiration": "2100-01-01T00:00:00Z"
                });
                (StatusCode::OK, keys.to_string())
            }
            _ => (StatusCode::NOT_FOUND, String::new()),
        }
    }));
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, AbortOnDropHandle::new(task))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_role_of_the_vm_is_used_when_the_secret_asks_for_it() {
    let (_moto, proxy, _) = behind_a_proxy().await;
    let (url, _metadata) = metadata().await;
    let access = access(proxy.url());
    let endpoints = access.endpoints.clone().with(Endpoint::AwsMetadata, &url).unwrap();
    let provider = AwsProvider::new(access.at(endpoints));
    assert_eq!(list(&provider, &credentials(&[("credentialSource", "instanceMetadata")])).await.unwrap(), 0);
    for call in proxy.calls() {
        assert!(
            call.headers["authorization"].to_str().unwrap().contains("Credential=ASIAOFTHEVM/"),
            "{call:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_metadata_service_the_message_tells_of_keys_and_not_of_ec2() {
    let (_moto, proxy, _) = behind_a_proxy().await;
    let access = access(proxy.url());
    // Nobody listens there.
    let endpoints = access.endpoints.clone().with(Endpoint::AwsMetadata, "http://127.0.0.1:9").unwrap();
    let provider = AwsProvider::new(access.at(endpoints));
    let error = list(&provider, &credentials(&[("credentialSource", "instanceMetadata")])).await.unwrap_err();
    assert!(matches!(error.code.name(), "Unavailable" | "Unauthenticated"), "{error}");
    assert!(error.message.contains("no keys to call with"), "{error}");
    assert!(proxy.calls().is_empty(), "{:?}", proxy.calls());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_role_of_the_vm_is_lent_by_the_operator_and_by_no_secret() {
    let (_moto, proxy, _) = behind_a_proxy().await;
    let endpoints = Endpoints::default().with(Endpoint::AwsEc2, proxy.url()).unwrap();
    let provider = AwsProvider::new(access(proxy.url()).at(endpoints));
    let error = list(&provider, &credentials(&[("credentialSource", "instanceMetadata")])).await.unwrap_err();
    assert_eq!(error.code.name(), "FailedPrecondition", "{error}");
    assert!(error.message.contains("--cloud-endpoint aws.metadata="), "{error}");
    assert!(proxy.calls().is_empty(), "{:?}", proxy.calls());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_nobody_is_asked_for_one() {
    let (_moto, proxy, provider) = behind_a_proxy().await;
    let error = list(&provider, &credentials(&[])).await.unwrap_err();
    assert_eq!(error.code.name(), "Unauthenticated");
    assert!(error.message.contains("providerAccessKeyId"), "{error}");
    assert!(proxy.calls().is_empty(), "{:?}", proxy.calls());
}
