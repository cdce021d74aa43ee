//! The stand-in itself: it would be of no use if it took everything.

use millwright_clouds::gcp::Settings;
use millwright_provider::Provider as _;
use millwright_provider::contract::ScriptedCloud as _;
use serde_json::{Value, json};

use crate::lab::{GcpCloud, ZONE, machine, our_spec, placed, target};

/// A token, taken from a call that the provider made.
async fn client(cloud: &GcpCloud) -> (reqwest::Client, String) {
    let (spec, machine, credentials) = (our_spec(), machine(9), cloud.credentials());
    let _not_found = cloud.provider.status(target(&spec, &machine, &credentials)).await;
    // The first token that is given out has this name.
    (reqwest::Client::new(), "ya29.stand-in-token-1".to_owned())
}

async fn insert(cloud: &GcpCloud, query: &str, body: &Value) -> (u16, Value) {
    let (client, token) = client(cloud).await;
    let url = format!("{}/projects/stand-in-project/zones/{ZONE}/instances{query}", cloud.fake.compute_url());
    let answer = client.post(url).bearer_auth(token).json(body).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn good() -> Value {
    placed("vm-1", None, &["kubernetes-io-cluster-one"])
}

#[tokio::test]
async fn what_google_does_not_know_is_a_violation() {
    for (pointer, key, value) in [
        ("", "canIPForward", json!(true)),
        ("", "nodeName", json!("x")),
        ("", "tags", json!("a")),
        ("", "status", json!("SPOTTY")),
        ("/disks/0/initializeParams", "diskSizeGB", json!("50")),
        ("/disks/0/initializeParams", "diskSizeGb", json!(50)),
        ("/disks/0", "autoDelete", json!("true")),
    ] {
        let cloud = GcpCloud::start(Settings::default()).await;
        let mut body = good();
        body.pointer_mut(pointer).unwrap()[key] = value;
        let (status, _) = insert(&cloud, "", &body).await;
        assert_eq!((status, cloud.fake.violations().len()), (400, 1), "{key}");
        cloud.fake.forgive();
    }
    let cloud = GcpCloud::start(Settings::default()).await;
    insert(&cloud, "?requestID=x", &good()).await;
    assert_eq!(cloud.fake.violations(), ["instances.insert: no parameter is called requestID"]);
    cloud.fake.forgive();
}

#[tokio::test]
async fn a_request_id_makes_one_vm_and_a_name_is_taken_once() {
    let cloud = GcpCloud::start(Settings { pace: 100, ..Settings::default() }).await;
    let query = "?requestId=6f1c9c9e-0000-4000-8000-000000000001";
    let (status, first) = insert(&cloud, query, &good()).await;
    assert_eq!((status, &first["status"]), (200, &json!("PENDING")));
    let (_, second) = insert(&cloud, query, &good()).await;
    assert_eq!((&second["name"], &second["status"]), (&first["name"], &json!("RUNNING")));
    let (status, refused) = insert(&cloud, "", &good()).await;
    assert_eq!((status, &refused["error"]["errors"][0]["reason"]), (409, &json!("alreadyExists")));
    assert_eq!(cloud.fake.vms().len(), 1);
}

#[tokio::test]
async fn nobody_is_let_in_without_a_good_token() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (client, token) = client(&cloud).await;
    let url = format!("{}/projects/stand-in-project/zones/{ZONE}/instances", cloud.fake.compute_url());
    for (token, status) in [("nobody's", 401), (token.as_str(), 200)] {
        let answer = client.get(&url).bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status);
    }
    cloud.fake.expire_tokens();
    assert_eq!(client.get(&url).bearer_auth(&token).send().await.unwrap().status().as_u16(), 401);
}
