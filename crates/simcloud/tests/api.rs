//! The HTTP API as its callers meet it.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_simcloud::{Config, Running, Secret, SimCloud};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};

const TOKEN: &str = "token-of-the-test";

struct Caller {
    running: Running,
    client: Client,
}

impl Caller {
    async fn new() -> Self {
        Self::of(Config::new(TOKEN)).await
    }

    async fn of(config: Config) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(Duration::from_secs(30)).build().unwrap();
        Self { running: SimCloud::start(config).await.unwrap(), client }
    }

    async fn raw(&self, method: Method, path: &str, token: &str, body: &str) -> Response {
        let url = format!("{}{path}", self.running.url());
        self.client.request(method, url).bearer_auth(token).body(body.to_owned()).send().await.unwrap()
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.raw(method, path, TOKEN, &body).await;
        (response.status(), response.json().await.unwrap())
    }

    async fn create(&self, name: &str, change: Value) -> (StatusCode, Value) {
        self.call(Method::POST, "/v1/vms", vm(name, change)).await
    }

    async fn made(&self, name: &str) -> String {
        let (status, vm) = self.create(name, json!({})).await;
        assert_eq!(status, 201, "{vm}");
        vm["id"].as_str().unwrap().to_owned()
    }

    async fn names(&self, query: &str) -> Vec<String> {
        let (status, page) = self.call(Method::GET, &format!("/v1/vms{query}"), Value::Null).await;
        assert_eq!(status, 200, "{page}");
        page["items"].as_array().unwrap().iter().map(|vm| vm["name"].as_str().unwrap().to_owned()).collect()
    }

    async fn arm(&self, fault: Value) {
        let (status, answer) = self.call(Method::POST, "/v1/faults", fault).await;
        assert_eq!(status, 201, "{answer}");
    }
}

fn vm(name: &str, change: Value) -> Value {
    let mut vm = json!({
        "name": name,
        "clientToken": format!("uid-{name}"),
        "size": "small",
        "image": "ubuntu-24.04",
        "zone": "local-a",
        "diskGiB": 20,
        "network": "default",
        "tags": { "kubernetes.io/cluster/one": "1", "kubernetes.io/role/node": "1" },
        "userData": STANDARD.encode("#cloud-config"),
        "boot": { "mode": "never", "delaySeconds": 0 },
    });
    vm.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    vm
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("no error")
}

#[tokio::test]
async fn without_the_token_nothing_is_answered() {
    let caller = Caller::new().await;
    for token in ["", "token-of-the-tess", "token-of-the-test2"] {
        let response = caller.raw(Method::GET, "/v1/vms", token, "").await;
        assert_eq!(response.status(), 401);
        assert!(response.headers().contains_key("x-request-id"));
        let answer: Value = response.json().await.unwrap();
        assert_eq!(code(&answer), "unauthenticated");
        assert!(!answer.to_string().contains(TOKEN));
    }
    let healthy = caller.client.get(format!("{}/healthz", caller.running.url())).send().await.unwrap();
    assert_eq!(healthy.status(), 200);
}

#[tokio::test]
async fn a_vm_comes_with_nic_and_disk_and_takes_them_along() {
    let caller = Caller::new().await;
    let (status, made) = caller.create("worker-1", json!({})).await;
    assert_eq!(status, 201);
    assert!(made["id"].as_str().unwrap().starts_with("i-"));
    assert_eq!(made["power"], "running");
    assert_eq!(made["userDataSha256"], "a1b0542e7cce032c6d3eeca880fe4c7102c4b74b8ca101b1a85d720d0e62cd7f");
    let (_, nics) = caller.call(Method::GET, "/v1/nics", Value::Null).await;
    assert_eq!(nics["items"][0]["vm"], made["id"]);
    assert_eq!(nics["items"][0]["tags"], made["tags"]);
    assert_eq!(nics["items"][0]["address"], made["address"]);
    let (_, disks) =
        caller.call(Method::GET, "/v1/disks?tagPrefix=kubernetes.io/cluster/", Value::Null).await;
    assert_eq!(disks["items"][0]["vm"], made["id"]);
    let nic = format!("/v1/nics/{}", nics["items"][0]["id"].as_str().unwrap());
    let (status, answer) = caller.call(Method::DELETE, &nic, Value::Null).await;
    assert_eq!((status.as_u16(), code(&answer)), (409, "conflict"));

    let path = format!("/v1/vms/{}", made["id"].as_str().unwrap());
    let (status, shown) = caller.call(Method::GET, &path, Value::Null).await;
    assert_eq!((status.as_u16(), &shown["name"]), (200, &json!("worker-1")));
    assert_eq!(caller.call(Method::DELETE, &path, Value::Null).await.0, 200);
    for path in [path.as_str(), &nic] {
        let (status, answer) = caller.call(Method::DELETE, path, Value::Null).await;
        assert_eq!((status.as_u16(), code(&answer)), (404, "not_found"));
    }
    for list in ["/v1/nics", "/v1/disks", "/v1/vms"] {
        assert_eq!(caller.call(Method::GET, list, Value::Null).await.1["items"], json!([]));
    }
}

#[tokio::test]
async fn the_same_token_is_the_same_vm() {
    let caller = Caller::new().await;
    let (_, first) = caller.create("worker-1", json!({})).await;
    let (status, again) = caller.create("worker-1", json!({ "userData": "" })).await;
    assert_eq!((status.as_u16(), &again["id"]), (200, &first["id"]));
    let (status, other) = caller.create("worker-2", json!({ "clientToken": "uid-worker-1" })).await;
    assert_eq!((status.as_u16(), code(&other)), (409, "conflict"));
    // Names are not unique: only the token tells two requests apart.
    let (status, namesake) = caller.create("worker-1", json!({ "clientToken": "another" })).await;
    assert_eq!(status, 201);
    assert_ne!(namesake["id"], first["id"]);
}

#[tokio::test]
async fn a_name_can_be_wanted_alone() {
    let caller = Caller::new().await;
    let alone = |token: &str| json!({ "clientToken": token, "ifNameTaken": "refuse" });
    let (status, first) = caller.create("worker-1", alone("one")).await;
    assert_eq!(status, 201);
    assert_eq!(caller.create("worker-1", alone("one")).await.0, 200);
    let (status, answer) = caller.create("worker-1", alone("two")).await;
    assert_eq!((status.as_u16(), code(&answer)), (409, "name_taken"));
    assert!(answer["error"]["message"].as_str().unwrap().contains(first["id"].as_str().unwrap()));
}

#[tokio::test]
async fn a_new_token_replaces_the_old_one() {
    let caller = Caller::new().await;
    caller.running.cloud().set_token(&Secret::new("another-token"));
    assert_eq!(caller.raw(Method::GET, "/v1/vms", TOKEN, "").await.status(), 401);
    assert_eq!(caller.raw(Method::GET, "/v1/vms", "another-token", "").await.status(), 200);
}

#[tokio::test]
async fn wrong_requests_name_the_field() {
    let caller = Caller::new().await;
    let cases = [
        (json!({ "size": "huge" }), "size: \"huge\" is not offered; there are small, medium, large, gpu"),
        (json!({ "image": "dos" }), "image:"),
        (json!({ "zone": "moon" }), "zone:"),
        (json!({ "diskGiB": 0 }), "diskGiB:"),
        (json!({ "diskGiB": -1 }), "request body:"),
        (json!({ "name": "Worker" }), "name:"),
        (json!({ "clientToken": "" }), "clientToken:"),
        (json!({ "network": "" }), "network:"),
        (json!({ "userData": "***" }), "userData:"),
        (json!({ "userData": STANDARD.encode(vec![b'x'; 65 * 1024]) }), "userData:"),
        (json!({ "tags": { "": "x" } }), "tags"),
        (json!({ "boot": { "mode": "sometimes" } }), "request body:"),
        (json!({ "boot": { "delaySeconds": -1 } }), "boot.delaySeconds:"),
        (json!({ "colour": "red" }), "request body: unknown field `colour`"),
    ];
    for (change, expected) in cases {
        let (status, answer) = caller.create("worker-1", change.clone()).await;
        assert_eq!((status.as_u16(), code(&answer)), (400, "invalid_argument"), "{change}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(expected), "{change} gives {message}");
    }
    for (method, path, expected) in [
        (Method::GET, "/v1/vms?colour=red", 400),
        (Method::GET, "/v1/vms?tag=red", 400),
        (Method::GET, "/v1/vms?pageSize=0", 400),
        (Method::GET, "/v1/vms?pageToken=!", 400),
        (Method::GET, "/v1/journal?since=yesterday", 400),
        (Method::GET, "/v1/journal?until=1", 400),
        (Method::PUT, "/v1/vms", 400),
        (Method::GET, "/v1/clouds", 404),
        (Method::GET, "/v1/vms/i-0", 404),
    ] {
        let (status, answer) = caller.call(method, path, Value::Null).await;
        assert_eq!(status.as_u16(), expected, "{path}: {answer}");
        assert!(answer["error"]["requestId"].as_str().unwrap().starts_with("req-"), "{answer}");
    }
    assert!(caller.names("").await.is_empty());
}

#[tokio::test]
async fn lists_are_filtered_and_cut_into_pages() {
    let caller = Caller::new().await;
    for name in ["a-0", "a-1", "a-2", "a-3", "a-4"] {
        caller.made(name).await;
    }
    let other = json!({ "tags": { "kubernetes.io/cluster/one-two": "1", "kubernetes.io/role/node": "1" } });
    caller.create("b-0", other).await;
    assert_eq!(caller.names("?name=a-3").await, ["a-3"]);
    assert_eq!(caller.names("?clientToken=uid-a-1").await, ["a-1"]);
    assert_eq!(caller.names("?tag=kubernetes.io/cluster/one=1").await.len(), 5);
    assert_eq!(caller.names("?tag=kubernetes.io/cluster/one=1&tag=kubernetes.io/role/node=2").await.len(), 0);
    assert_eq!(caller.names("?tagKey=kubernetes.io/cluster/one-two").await, ["b-0"]);
    assert_eq!(caller.names("?tagPrefix=kubernetes.io/cluster/one").await.len(), 6);

    let mut seen = Vec::new();
    let mut path = "/v1/vms?pageSize=2&tag=kubernetes.io/cluster/one=1".to_owned();
    loop {
        let (_, page) = caller.call(Method::GET, &path, Value::Null).await;
        seen.push(page["items"].as_array().unwrap().len());
        let Some(token) = page["nextPageToken"].as_str() else { break };
        path = format!("/v1/vms?pageSize=2&tag=kubernetes.io/cluster/one=1&pageToken={token}");
    }
    assert_eq!(seen, [2, 2, 1]);
}

#[tokio::test]
async fn quotas_hold_for_their_zone_and_size() {
    let caller = Caller::new().await;
    let quotas = json!({ "quotas": [
        { "zone": "local-a", "size": "small", "limit": 1 },
        { "zone": "local-b", "size": "gpu", "limit": 0, "scarcity": "capacity" },
    ] });
    assert_eq!(caller.call(Method::PUT, "/v1/quotas", quotas).await.0, 200);
    let first = caller.made("a-0").await;
    let (status, answer) = caller.create("a-1", json!({})).await;
    assert_eq!((status.as_u16(), code(&answer)), (403, "quota_exceeded"));
    let (status, answer) = caller.create("b-0", json!({ "zone": "local-b", "size": "gpu" })).await;
    assert_eq!((status.as_u16(), code(&answer)), (409, "out_of_capacity"));
    assert_eq!(caller.create("c-0", json!({ "zone": "local-c" })).await.0, 201);
    assert_eq!(caller.create("a-0", json!({})).await.0, 200, "a VM that exists needs no room");
    caller.call(Method::DELETE, &format!("/v1/vms/{first}"), Value::Null).await;
    caller.made("a-1").await;
    let (status, answer) =
        caller.call(Method::PUT, "/v1/quotas", json!({ "quotas": [{ "zone": "moon", "limit": 1 }] })).await;
    assert_eq!(status, 400);
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("quotas[0].zone"), "{answer}");
}

#[tokio::test]
async fn errors_and_throttling_strike_the_call_they_were_aimed_at() {
    let caller = Caller::new().await;
    caller
        .arm(json!({ "operation": "CreateVm", "nth": 2, "count": 1,
                     "effect": { "kind": "error", "code": "unavailable", "message": "storm" } }))
        .await;
    caller.made("a-0").await;
    let (status, answer) = caller.create("a-1", json!({})).await;
    assert_eq!((status.as_u16(), answer["error"]["message"].as_str()), (503, Some("storm")));
    caller.made("a-1").await;

    caller
        .arm(json!({ "operation": "ListVms", "effect": { "kind": "throttle", "retryAfterSeconds": 7 } }))
        .await;
    let response = caller.raw(Method::GET, "/v1/vms", TOKEN, "").await;
    assert_eq!((response.status().as_u16(), response.headers()["retry-after"].to_str().unwrap()), (429, "7"));
    let (_, faults) = caller.call(Method::GET, "/v1/faults", Value::Null).await;
    assert_eq!(faults["items"][1]["struck"], 1);
    assert_eq!(caller.call(Method::DELETE, "/v1/faults", Value::Null).await.0, 200);
    assert_eq!(caller.names("").await.len(), 2);
    let (status, answer) =
        caller.call(Method::POST, "/v1/faults", json!({ "effect": { "kind": "meteor" } })).await;
    assert_eq!((status.as_u16(), code(&answer)), (400, "invalid_argument"));
}

#[tokio::test]
async fn a_late_answer_is_not_a_missing_effect() {
    let caller = Caller::new().await;
    caller
        .arm(json!({ "operation": "CreateVm", "count": 1, "effect": { "kind": "timeoutAfterSuccess", "seconds": 60 } }))
        .await;
    let url = format!("{}/v1/vms", caller.running.url());
    let request = caller.client.post(url).bearer_auth(TOKEN).json(&vm("a-0", json!({})));
    let error = request.timeout(Duration::from_millis(500)).send().await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(caller.names("").await, ["a-0"]);
    assert_eq!(caller.create("a-0", json!({})).await.0, 200);

    // The effect of a slow call comes although its caller has given up.
    caller
        .arm(json!({ "operation": "CreateVm", "count": 1, "effect": { "kind": "latency", "seconds": 1 } }))
        .await;
    let url = format!("{}/v1/vms", caller.running.url());
    let request = caller.client.post(url).bearer_auth(TOKEN).json(&vm("a-1", json!({})));
    request.timeout(Duration::from_millis(200)).send().await.unwrap_err();
    let patience = Instant::now() + Duration::from_secs(30);
    while caller.names("?name=a-1").await.is_empty() {
        assert!(Instant::now() < patience, "the VM was never made");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_lagging_list_hides_a_vm_that_can_be_shown() {
    let caller = Caller::new().await;
    caller
        .arm(json!({ "operation": "CreateVm", "count": 1, "effect": { "kind": "listLag", "seconds": 3600 } }))
        .await;
    let hidden = caller.made("a-0").await;
    caller.made("a-1").await;
    assert_eq!(caller.names("").await, ["a-1"]);
    assert_eq!(caller.call(Method::GET, &format!("/v1/vms/{hidden}"), Value::Null).await.0, 200);
}

#[tokio::test]
async fn leftovers_stay_until_somebody_deletes_them() {
    let caller = Caller::new().await;
    let id = caller.made("a-0").await;
    caller
        .arm(json!({ "operation": "DeleteVm", "subject": "a-0", "effect": { "kind": "leaveLeftovers" } }))
        .await;
    let (status, left) = caller.call(Method::DELETE, &format!("/v1/vms/{id}"), Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!((left["nics"].as_array().unwrap().len(), left["disks"].as_array().unwrap().len()), (1, 1));
    caller.arm(json!({ "operation": "CreateVm", "count": 1, "effect": { "kind": "leaveLeftovers" } })).await;
    let (status, answer) = caller.create("a-1", json!({})).await;
    assert_eq!((status.as_u16(), code(&answer)), (409, "out_of_capacity"));
    for list in ["/v1/nics", "/v1/disks"] {
        let (_, page) = caller.call(Method::GET, list, Value::Null).await;
        let items = page["items"].as_array().unwrap();
        assert_eq!(items.len(), 2, "{page}");
        for item in items {
            assert_eq!(item["vm"], Value::Null);
            let path = format!("{list}/{}", item["id"].as_str().unwrap());
            assert_eq!(caller.call(Method::DELETE, &path, Value::Null).await.0, 200);
        }
    }
    assert!(caller.names("").await.is_empty());
}

#[tokio::test]
async fn volumes_outlive_the_vm_they_are_attached_to() {
    let caller = Caller::new().await;
    let id = caller.made("a-0").await;
    let volume = json!({ "name": "data", "zone": "local-a", "sizeGiB": 5 });
    let (status, made) = caller.call(Method::POST, "/v1/disks", volume).await;
    assert_eq!(status, 201, "{made}");
    let path = format!("/v1/disks/{}", made["id"].as_str().unwrap());
    let (status, disk) = caller.call(Method::POST, &format!("{path}/attach"), json!({ "vm": id })).await;
    assert_eq!((status.as_u16(), &disk["vm"]), (200, &json!(id)));
    let other = caller.create("a-1", json!({ "zone": "local-b" })).await.1["id"].clone();
    for (target, expected) in [(other, 409), (json!("i-0"), 404)] {
        let (status, _) = caller.call(Method::POST, &format!("{path}/attach"), json!({ "vm": target })).await;
        assert_eq!(status.as_u16(), expected);
    }
    assert_eq!(caller.call(Method::DELETE, &path, Value::Null).await.0, 409);
    assert_eq!(caller.call(Method::DELETE, &format!("/v1/vms/{id}"), Value::Null).await.0, 200);
    let (_, disks) = caller.call(Method::GET, "/v1/disks?name=data", Value::Null).await;
    assert_eq!(disks["items"][0]["vm"], Value::Null);
    assert_eq!(caller.call(Method::DELETE, &path, Value::Null).await.0, 200);
}

#[tokio::test]
async fn the_catalog_has_prices() {
    let caller = Caller::new().await;
    let (_, sizes) = caller.call(Method::GET, "/v1/sizes", Value::Null).await;
    assert_eq!(
        sizes["items"][0],
        json!({ "name": "small", "cpu": 2, "memoryMiB": 4096, "gpu": 0, "pricePerHour": 0.05 })
    );
    let (_, zones) = caller.call(Method::GET, "/v1/zones", Value::Null).await;
    assert_eq!(zones["items"].as_array().unwrap().len(), 3);
    let (_, images) = caller.call(Method::GET, "/v1/images", Value::Null).await;
    assert!(images["items"].as_array().unwrap().iter().any(|image| image["name"] == "flatcar-stable"));
}

#[tokio::test]
async fn the_journal_has_every_cloud_call_and_no_control() {
    let caller = Caller::new().await;
    let id = caller.made("a-0").await;
    caller.names("").await;
    caller.call(Method::GET, "/v1/stats", Value::Null).await;
    caller.create("a-0", json!({ "size": "huge" })).await;
    let (_, journal) = caller.call(Method::GET, "/v1/journal", Value::Null).await;
    let entries = journal["items"].as_array().unwrap();
    let short: Vec<Value> = entries
        .iter()
        .map(|entry| {
            json!([entry["seq"], entry["operation"], entry["subject"], entry["status"], entry["code"]])
        })
        .collect();
    let expected = [
        json!([1, "CreateVm", "a-0", 201, null]),
        json!([2, "ListVms", null, 200, null]),
        json!([3, "CreateVm", "a-0", 400, "invalid_argument"]),
    ];
    assert_eq!(short, expected);
    let (_, later) = caller.call(Method::GET, "/v1/journal?since=2", Value::Null).await;
    assert_eq!(later["items"].as_array().unwrap().len(), 1);
    let (_, stats) = caller.call(Method::GET, "/v1/stats", Value::Null).await;
    assert_eq!(stats["calls"], json!({ "CreateVm": 2, "ListVms": 1 }));
    assert_eq!(stats["vms"], 1);
    let (status, shown) =
        caller.call(Method::POST, &format!("/v1/vms/{id}/health"), json!({ "state": "Dead" })).await;
    assert_eq!((status.as_u16(), &shown["power"]), (200, &json!("stopped")));
    let sick = json!({ "state": "Ready", "conditions": { "DiskPressure": "Maybe" } });
    assert_eq!(caller.call(Method::POST, &format!("/v1/vms/{id}/health"), sick).await.0, 400);
}

/// An order, looked at until it has ended.
async fn ended(caller: &Caller, begun: &Value) -> Value {
    let path = format!("/v1/orders/{}", begun["order"]["id"].as_str().unwrap());
    let began = Instant::now();
    loop {
        let (status, order) = caller.call(Method::GET, &path, Value::Null).await;
        assert_eq!(status, 200, "{order}");
        if order["state"] != "running" {
            return order;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{order}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn with_orders(seconds: f64) -> Caller {
    let mut config = Config::new(TOKEN);
    config.settings.order_seconds = Some(seconds);
    Caller::of(config).await
}

#[tokio::test]
async fn a_vm_that_was_ordered_is_seen_and_has_no_power_yet() {
    let caller = with_orders(3600.0).await;
    let (status, begun) = caller.create("worker-1", json!({})).await;
    assert_eq!((status.as_u16(), &begun["order"]["state"]), (202, &json!("running")));
    let (status, again) = caller.create("worker-1", json!({})).await;
    assert_eq!(status, 202);
    assert_eq!(again["order"]["id"], begun["order"]["id"], "the same token is the same order");
    assert_eq!(caller.names("").await, ["worker-1"]);
    let path = format!("/v1/vms/{}", begun["order"]["vm"].as_str().unwrap());
    assert_eq!(caller.call(Method::GET, &path, Value::Null).await.1["power"], "stopped");
    let (_, end) = caller.call(Method::DELETE, &path, Value::Null).await;
    assert_eq!(end["order"]["kind"], "deletion");
    assert_eq!(caller.names("").await, ["worker-1"], "it goes at the end");
}

#[tokio::test]
async fn an_order_is_done_or_fails_and_tells_which() {
    let caller = with_orders(0.05).await;
    caller
        .arm(json!({ "operation": "CreateVm", "count": 1, "effect": { "kind": "failLater", "code": "out_of_capacity" } }))
        .await;
    let (_, begun) = caller.create("worker-1", json!({})).await;
    let order = ended(&caller, &begun).await;
    assert_eq!((&order["state"], &order["code"]), (&json!("failed"), &json!("out_of_capacity")));
    assert_eq!(caller.names("").await, [""; 0]);

    let (_, begun) = caller.create("worker-1", json!({})).await;
    assert_eq!(ended(&caller, &begun).await["state"], "done");
    let (status, made) = caller.create("worker-1", json!({})).await;
    assert_eq!((status.as_u16(), &made["power"]), (200, &json!("running")));

    caller
        .arm(json!({ "operation": "DeleteVm", "count": 1, "effect": { "kind": "failLater", "code": "internal" } }))
        .await;
    let path = format!("/v1/vms/{}", made["id"].as_str().unwrap());
    for (state, left) in [("failed", 1), ("done", 0)] {
        let (status, begun) = caller.call(Method::DELETE, &path, Value::Null).await;
        assert_eq!(status, 202);
        assert_eq!(ended(&caller, &begun).await["state"], state);
        assert_eq!(caller.names("").await.len(), left);
    }
    let (status, answer) = caller.call(Method::GET, "/v1/orders/ord-0", Value::Null).await;
    assert_eq!((status.as_u16(), code(&answer)), (404, "not_found"));
}
