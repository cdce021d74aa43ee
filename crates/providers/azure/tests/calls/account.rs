//! Tokens: who asks for one, where, and how long it is kept.

use millwright_api::MachineCode;
use millwright_cloud_http::{Endpoint, Endpoints};
use serde_json::json;

use crate::script::{Desk, credentials, error, page, tags, vm, vms};

fn there(desk: &Desk) {
    desk.script.answer(&format!("GET {}?", vms()), 200, page(&[vm("pool-a-1", "Succeeded", &tags())]));
}

fn tokens(desk: &Desk) -> usize {
    desk.script.seen().iter().filter(|seen| seen.line.contains("/oauth2/")).count()
}

#[tokio::test(start_paused = true)]
async fn a_token_is_kept_until_shortly_before_its_end() {
    let desk = Desk::new();
    there(&desk);
    for (wait, expected) in [(0, 1), (3000, 1), (400, 2)] {
        tokio::time::advance(std::time::Duration::from_secs(wait)).await;
        desk.status().await.unwrap();
        assert_eq!(tokens(&desk), expected, "after {wait} seconds more");
    }
    let asked = &desk.script.seen()[0];
    assert_eq!(asked.headers["x-host"], "login.microsoftonline.com");
    assert_eq!(
        asked.body,
        "grant_type=client_credentials&client_id=client-0123&scope=https%3A%2F%2Fmanagement.azure.com%2F.default&client_secret=secret-0123"
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_that_was_revoked_is_replaced_in_the_same_call() {
    let desk = Desk::new();
    there(&desk);
    desk.status().await.unwrap();
    let list = page(&[vm("pool-a-1", "Succeeded", &tags())]);
    desk.script.answers(
        &format!("GET {}?", vms()),
        vec![(401, error("ExpiredAuthenticationToken", "")), (200, list)],
    );
    desk.status().await.unwrap();
    assert_eq!(tokens(&desk), 2);
}

#[tokio::test(start_paused = true)]
async fn a_new_token_that_is_refused_is_not_asked_for_again_and_again() {
    let desk = Desk::new();
    desk.script.answer(&format!("GET {}?", vms()), 401, error("InvalidAuthenticationToken", ""));
    assert_eq!(desk.status().await.unwrap_err().code, MachineCode::Unauthenticated);
    assert_eq!((tokens(&desk), desk.script.calls().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn no_refusal_shows_the_secret() {
    let desk = Desk::new();
    let said = json!({ "error": "invalid_client", "error_description": "AADSTS7000215: secret-0123 of client-0123 is wrong" });
    desk.script.answer("POST /tenant-0123/oauth2", 401, said);
    let error = desk.status().await.unwrap_err();
    assert_eq!(error.code, MachineCode::Unauthenticated);
    assert!(!format!("{error} {error:?}").contains("secret-0123"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_controllers_own_identity_is_lent_by_its_operator_only() {
    let keys = [("useManagedIdentity", "true")];
    let mut desk = Desk::new();
    desk.credentials = credentials(&keys);
    let refused = desk.status().await.unwrap_err();
    assert_eq!(refused.code, MachineCode::FailedPrecondition);
    assert!(refused.message.contains("--cloud-endpoint azure.metadata="), "{refused}");
    assert!(desk.script.seen().is_empty());

    let lent = Endpoints::default().with(Endpoint::AzureMetadata, "http://169.254.169.254").unwrap();
    let mut desk = Desk::at(lent);
    desk.credentials = credentials(&keys);
    there(&desk);
    desk.script.answer(
        "GET /metadata/identity/",
        200,
        json!({ "access_token": "token-two", "expires_in": "3600" }),
    );
    desk.status().await.unwrap();
    let asked = &desk.script.seen()[0];
    assert_eq!(
        (asked.headers["metadata"].to_str().unwrap(), asked.line.as_str()),
        (
            "true",
            "GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fmanagement.azure.com&client_id=client-0123"
        )
    );
}
