//! Tokens: asked for once, again when they are no good, and never of anybody else.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_clouds::gcp::Settings;
use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::{Credentials, Provider as _};
use millwright_provider_gcp::GcpProvider;
use serde_json::json;

use crate::lab::{EMAIL, GcpCloud, PROJECT, access, account, credentials, machine, our_spec, target};

#[tokio::test]
async fn a_token_serves_many_calls_and_is_asked_for_again_when_it_is_refused() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, machine, credentials) = (our_spec(), machine(1), cloud.credentials());
    let status = || cloud.provider.status(target(&spec, &machine, &credentials));
    for _ in 0..3 {
        assert_eq!(status().await.unwrap_err().code, MachineCode::NotFound);
    }
    assert_eq!(cloud.count("token"), 1);
    cloud.fake.expire_tokens();
    assert_eq!(status().await.unwrap_err().code, MachineCode::Unauthenticated);
    assert_eq!(status().await.unwrap_err().code, MachineCode::NotFound);
    assert_eq!(cloud.count("token"), 2);
}

#[tokio::test]
async fn an_account_that_google_does_not_know_is_told_in_its_words() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, machine) = (our_spec(), machine(1));
    for (email, key, said) in
        [(EMAIL, 2, "Invalid JWT Signature."), ("nobody@x.iam.gserviceaccount.com", 0, "account not found")]
    {
        let credentials = credentials(&account(email, cloud.private_key(key)));
        let error = cloud.provider.status(target(&spec, &machine, &credentials)).await.unwrap_err();
        assert_eq!(error.code, MachineCode::Unauthenticated, "{error}");
        assert!(error.message.contains(said), "{error}");
    }
}

#[tokio::test]
async fn a_workload_identity_is_exchanged_for_a_token_of_its_service_account() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let provider = GcpProvider::with_token_file(access(&cloud.fake), file.clone());
    let json = json!({
        "type": "external_account", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b",
        "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url":
            format!("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{EMAIL}:generateAccessToken"),
        "credential_source": { "file": "/var/run/secrets/gardener.cloud/workload-identity/token" }
    });
    let secret =
        [("credentialsConfig", json.to_string()), ("projectID", PROJECT.into()), ("userData", "x".into())];
    let secret: BTreeMap<_, _> = secret.map(|(key, value)| (key.to_owned(), value.into_bytes())).into();
    let credentials = Credentials::merge([secret]);
    assert_eq!(provider_mistakes(&provider, &credentials), Vec::<String>::new());
    let (spec, machine) = (our_spec(), machine(1));
    let status = || provider.status(target(&spec, &machine, &credentials));

    let error = status().await.unwrap_err();
    assert_eq!(error.code, MachineCode::Unauthenticated);
    assert!(error.message.contains(file.to_str().unwrap()), "{error}");

    std::fs::write(&file, "token-of-the-workload-1\n").unwrap();
    cloud.fake.know_workload("token-of-the-workload-1");
    assert_eq!(status().await.unwrap_err().code, MachineCode::NotFound);

    // The mounted token is rotated; it is read again when a new one is needed.
    std::fs::write(&file, "token-of-the-workload-2\n").unwrap();
    cloud.fake.know_workload("token-of-the-workload-2");
    cloud.fake.expire_tokens();
    assert_eq!(status().await.unwrap_err().code, MachineCode::Unauthenticated);
    assert_eq!(status().await.unwrap_err().code, MachineCode::NotFound);

    // A workload that is not known gets nothing, and its token is not shown.
    cloud.fake.know_workload("somebody else's");
    cloud.fake.expire_tokens();
    status().await.unwrap_err();
    let error = status().await.unwrap_err();
    assert_eq!(error.code, MachineCode::Unauthenticated);
    assert!(!error.message.contains("token-of-the-workload"), "{error}");
}

fn provider_mistakes(provider: &GcpProvider, credentials: &Credentials) -> Vec<String> {
    use millwright_provider::SpecRules as _;
    provider.validate_credentials(credentials).iter().map(ToString::to_string).collect()
}
