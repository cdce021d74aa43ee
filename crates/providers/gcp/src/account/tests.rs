use std::collections::BTreeMap;

use serde_json::json;

use super::*;

const PEM: &str = "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----\n";

fn with(json: &Value, project: Option<&str>) -> Credentials {
    let mut secret = BTreeMap::from([("serviceAccountJSON".to_owned(), json.to_string().into_bytes())]);
    secret.extend(project.map(|project| (PROJECT_KEY.to_owned(), project.as_bytes().to_vec())));
    Credentials::merge([secret])
}

fn changed(mut json: Value, change: Value) -> Value {
    for (name, value) in change.as_object().unwrap() {
        json[name] = value.clone();
    }
    json
}

fn service_account(change: Value) -> Value {
    let json = json!({
        "type": "service_account", "project_id": "p-1", "client_email": "robot@p-1.iam.gserviceaccount.com",
        "private_key": PEM, "private_key_id": "k1", "token_uri": "https://oauth2.googleapis.com/token"
    });
    changed(json, change)
}

fn external_account(change: Value) -> Value {
    let json = json!({
        "type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url":
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken",
        "credential_source": { "file": external_account::TOKEN_FILE, "format": { "type": "text" } }
    });
    changed(json, change)
}

#[test]
fn a_service_account_says_who_and_where() {
    let (account, project) = read(&with(&service_account(json!({})), None)).unwrap();
    let Account::ServiceAccount(account) = account else { panic!("{account:?}") };
    assert_eq!((project.as_str(), account.token_uri), ("p-1", service_account::TOKEN_URIS[0]));
    assert!(!format!("{account:?}").contains("hush"));
}

#[test]
fn a_workload_identity_takes_its_project_from_the_secret() {
    let (account, project) = read(&with(&external_account(json!({})), Some(" p-2\n"))).unwrap();
    let Account::ExternalAccount(account) = account else { panic!("{account:?}") };
    assert_eq!(
        (project.as_str(), account.impersonated.as_deref()),
        ("p-2", Some("a@p.iam.gserviceaccount.com"))
    );
    assert_eq!(read(&with(&external_account(json!({})), None)).unwrap_err(), AccountProblem::NoProject);
}

#[test]
fn an_empty_impersonation_is_none_and_no_mistake() {
    let json = external_account(json!({ "service_account_impersonation_url": "" }));
    let (account, _) = read(&with(&json, Some("p-2"))).unwrap();
    let Account::ExternalAccount(account) = account else { panic!("{account:?}") };
    assert_eq!(account.impersonated, None);
}

#[test]
fn no_secret_leads_to_another_host_or_file() {
    for json in [
        service_account(json!({ "token_uri": "https://evil.example/token" })),
        service_account(json!({ "token_uri": "https://oauth2.googleapis.com/token/../x" })),
        service_account(json!({ "universe_domain": "evil.example" })),
        external_account(json!({ "token_url": "https://sts.googleapis.com.evil.example/v1/token" })),
        external_account(json!({ "subject_token_type": "urn:ietf:params:aws:token-type:aws4_request" })),
        external_account(json!({ "credential_source": { "file": "/etc/passwd" } })),
        external_account(json!({ "credential_source": { "url": "http://169.254.169.254/" } })),
        external_account(json!({ "credential_source": { "executable": { "command": "sh" } } })),
        external_account(
            json!({ "credential_source": { "file": external_account::TOKEN_FILE, "url": "http://x" } }),
        ),
        external_account(
            json!({ "service_account_impersonation_url": "https://evil.example/:generateAccessToken" }),
        ),
        external_account(json!({
            "service_account_impersonation_url":
                "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b/../x:generateAccessToken"
        })),
    ] {
        let problem = read(&with(&json, Some("p-1"))).unwrap_err();
        assert!(matches!(problem, AccountProblem::Unusable { .. }), "{json}: {problem:?}");
        let text = format!("{problem:?} {}", problem.detail());
        assert!(!text.contains("evil") && !text.contains("hush") && !text.contains("passwd"), "{text}");
    }
}

#[test]
fn every_problem_names_its_key() {
    let odd =
        |key: &str, value: &[u8]| Credentials::merge([BTreeMap::from([(key.to_owned(), value.to_vec())])]);
    for (credentials, key) in [
        (Credentials::default(), "serviceAccountJSON"),
        (odd("serviceaccount.json", b"{"), "serviceaccount.json"),
        (odd("credentialsConfig", b"\xff"), "credentialsConfig"),
        (with(&service_account(json!({ "project_id": "../x" })), None), "serviceAccountJSON"),
        (with(&service_account(json!({ "project_id": null })), None), "projectID"),
        (with(&service_account(json!({ "private_key": "hush" })), None), "serviceAccountJSON"),
        (with(&service_account(json!({ "client_email": null })), None), "serviceAccountJSON"),
        (with(&json!({ "type": "authorized_user" }), None), "serviceAccountJSON"),
    ] {
        let problem = read(&credentials).unwrap_err();
        assert_eq!(problem.key(), key, "{problem:?}");
    }
}
