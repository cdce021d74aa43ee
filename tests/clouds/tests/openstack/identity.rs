//! Who calls: every form that a Secret may have, against the real Keystone.

use millwright_api::MachineCode;
use millwright_provider::contract::ScriptedCloud as _;
use reqwest::Method;
use serde_json::json;

use super::lab::ProjectCloud;
use super::life::{Class, machine};
use super::tenant::{alone, cloud, credentials};

async fn code_of(lab: &ProjectCloud, keys: &[(&str, &str)]) -> Result<usize, MachineCode> {
    let class = Class { spec: lab.spec(), credentials: credentials(keys) };
    let machine = machine(1);
    let target = class.target(&machine);
    let listed = lab.provider().list(target.class, &class.credentials, target.deadline).await;
    listed.map(|listed| listed.len()).map_err(|error| error.code)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_a_secret_gets_a_token() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let project = lab.tenant.project.clone();
    let with_version = lab.auth_url().await;
    let bare = with_version.trim_end_matches("/v3").to_owned();
    let base = [("username", project.user_name.as_str()), ("password", project.password.as_str())];
    let names = [("domainName", "Default"), ("tenantName", project.name.as_str())];
    let ids = [("domainID", "default"), ("tenantID", project.id.as_str())];
    for url in [with_version.as_str(), bare.as_str()] {
        for scope in [names, ids] {
            let keys = [&[("authURL", url)][..], &base, &scope].concat();
            assert_eq!(code_of(&lab, &keys).await, Ok(0), "{keys:?}");
        }
    }

    // A user of another domain than the project's: found by the id and by the name of his own only.
    let admin = cloud().await.admin().await.unwrap();
    let domain = json!({ "domain": { "name": format!("users-of-{}", project.name) } });
    let domain = admin.call(Method::POST, "identity", "/domains", Some(&domain)).await.unwrap();
    let (domain_id, domain_name) =
        (domain["domain"]["id"].as_str().unwrap(), domain["domain"]["name"].as_str().unwrap());
    let user = json!({ "user": { "name": "elsewhere", "domain_id": domain_id, "password": "password-of-elsewhere" } });
    let user = admin.call(Method::POST, "identity", "/users", Some(&user)).await.unwrap();
    let roles = admin.call(Method::GET, "identity", "/roles?name=member", None).await.unwrap();
    let path = format!(
        "/projects/{}/users/{}/roles/{}",
        project.id,
        user["user"]["id"].as_str().unwrap(),
        roles["roles"][0]["id"].as_str().unwrap()
    );
    admin.call(Method::PUT, "identity", &path, None).await.unwrap();
    let base = [
        ("authURL", with_version.as_str()),
        ("username", "elsewhere"),
        ("password", "password-of-elsewhere"),
    ];
    for own in [("userDomainID", domain_id), ("userDomainName", domain_name)] {
        let keys = [&base[..], &ids, &[own]].concat();
        assert_eq!(code_of(&lab, &keys).await, Ok(0), "{keys:?}");
    }
    let keys = [&base[..], &ids].concat();
    assert_eq!(code_of(&lab, &keys).await, Err(MachineCode::Unauthenticated));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_credential_is_usable_by_its_name() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let (auth_url, project) = (lab.auth_url().await, lab.tenant.project.clone());
    let body = json!({ "application_credential": { "name": "by-name", "secret": "secret-by-name" } });
    let path = format!("/users/{}/application_credentials", project.user_id);
    lab.tenant.user.call(Method::POST, "identity", &path, Some(&body)).await.unwrap();
    let keys = [
        ("authURL", auth_url.as_str()),
        ("applicationCredentialName", "by-name"),
        ("applicationCredentialSecret", "secret-by-name"),
        ("username", &project.user_name),
        ("userDomainID", "default"),
    ];
    assert_eq!(code_of(&lab, &keys).await, Ok(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_used_again_and_renewed_once_when_it_was_revoked() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let class = Class::of(&lab);
    let (machine, provider) = (machine(1), lab.provider());
    let list = || async {
        let target = class.target(&machine);
        provider.list(target.class, &class.credentials, target.deadline).await.unwrap()
    };
    let tokens = || lab.proxy.calls().iter().filter(|call| call.path.ends_with("/auth/tokens")).count();
    list().await;
    list().await;
    assert_eq!(tokens(), 1);
    let token = lab.proxy.calls().iter().find_map(|call| call.headers.get("x-auth-token").cloned()).unwrap();
    let address = format!("{}/auth/tokens", cloud().await.auth_url());
    let revoked = reqwest::Client::new()
        .delete(address)
        .header("x-auth-token", &token)
        .header("x-subject-token", &token);
    assert!(revoked.send().await.unwrap().status().is_success());
    list().await;
    assert_eq!(tokens(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_region_names_those_there_are_and_a_dead_keystone_is_an_outage() {
    let _turn = alone().await;
    let lab = ProjectCloud::new().await;
    let mut class = Class::of(&lab);
    class.spec["spec"]["region"] = json!("Nowhere");
    let machine = machine(1);
    let error = lab.provider().status(class.target(&machine)).await.unwrap_err();
    assert_eq!(error.code, MachineCode::InvalidArgument);
    assert!(error.message.contains("RegionOne"), "{error}");

    // Nobody can listen on port 0.
    let keys = [
        ("authURL", "http://127.0.0.1:0"),
        ("applicationCredentialID", "id"),
        ("applicationCredentialSecret", "secret-by-name"),
    ];
    assert_eq!(code_of(&lab, &keys).await, Err(MachineCode::Unavailable));
}
