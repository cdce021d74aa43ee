//! The stand-in does what the published API says, asked by plain HTTP: the provider's reading of that API is not used here.

use std::{sync::Arc, time::Duration};

use http::StatusCode;
use millwright_clouds::azure::{
    ArmError, AzureFault, FakeAzure, Misfortune, Models, Settings, Stock, Strikes,
};
use serde_json::{Value, json};

const COMPUTE: &str = "2024-07-01";
const NETWORK: &str = "2024-03-01";
const PATIENCE: Duration = Duration::from_secs(60);

struct Client {
    fake: FakeAzure,
    http: reqwest::Client,
    token: String,
}

struct Answered {
    status: u16,
    headers: http::HeaderMap,
    body: Value,
}

impl Answered {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }
}

impl Client {
    async fn of(settings: Settings) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let models = Models::shared().await.unwrap();
        let fake = FakeAzure::start(settings, Some(models), Arc::default()).await.unwrap();
        let mut client = Self { fake, http: reqwest::Client::new(), token: String::new() };
        let given = client.log_in(&secret_form(Settings::default().client_secret)).await;
        client.token = given.body["access_token"].as_str().unwrap().to_owned();
        client
    }

    async fn log_in(&self, form: &str) -> Answered {
        let url = format!("{}/{}/oauth2/v2.0/token", self.fake.url(), Settings::default().tenant);
        let request = self
            .http
            .post(url)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned());
        answered(request).await
    }

    async fn send(&self, method: &str, url: &str, body: Option<&Value>) -> Answered {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.http.request(method, url).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        answered(request).await
    }

    fn url(&self, collection: &str, name: &str) -> String {
        let (namespace, version) = if collection == "networkInterfaces" {
            ("Microsoft.Network", NETWORK)
        } else {
            ("Microsoft.Compute", COMPUTE)
        };
        let version = if collection == "disks" { "2024-03-02" } else { version };
        let name = if name.is_empty() { String::new() } else { format!("/{name}") };
        format!(
            "{}{}/providers/{namespace}/{collection}{name}?api-version={version}",
            self.fake.url(),
            group()
        )
    }

    async fn vm(&self, name: &str) -> Answered {
        self.send("GET", &self.url("virtualMachines", name), None).await
    }

    async fn nic(&self, name: &str) {
        let subnet =
            format!("{}/providers/Microsoft.Network/virtualNetworks/shoot-one-vnet/subnets/nodes", group());
        let body = json!({
            "location": "westeurope",
            "properties": { "ipConfigurations": [
                { "name": "one", "properties": { "subnet": { "id": subnet }, "privateIPAllocationMethod": "Dynamic" } },
            ] },
        });
        let put = self.send("PUT", &self.url("networkInterfaces", name), Some(&body)).await;
        assert_eq!(put.status, 201, "{}", put.body);
        assert_eq!(put.body["properties"]["provisioningState"], "Succeeded");
    }

    /// Follows an operation to its end; its last document.
    async fn follow(&self, begun: &Answered) -> Value {
        let url = begun.header("azure-asyncoperation");
        assert!(!url.is_empty() && !begun.header("retry-after").is_empty());
        tokio::time::timeout(PATIENCE, async {
            loop {
                let document = self.send("GET", url, None).await;
                assert_eq!(document.status, 200);
                if document.body["status"] != "InProgress" {
                    return document.body;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
        .unwrap()
    }
}

async fn answered(request: reqwest::RequestBuilder) -> Answered {
    let response = request.timeout(PATIENCE).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.text().await.unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() };
    Answered { status, headers, body }
}

fn group() -> String {
    format!("/subscriptions/{}/resourceGroups/shoot-one", Settings::default().subscription)
}

fn secret_form(secret: &str) -> String {
    let client = Settings::default().client_id;
    let scope = "https%3A%2F%2Fmanagement.azure.com%2F.default";
    format!("grant_type=client_credentials&client_id={client}&client_secret={secret}&scope={scope}")
}

fn vm(name: &str) -> Value {
    json!({
        "location": "westeurope",
        "tags": { "kubernetes.io-cluster-one": "1" },
        "zones": ["1"],
        "properties": {
            "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
            "storageProfile": {
                "imageReference": { "publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "latest" },
                "osDisk": { "name": format!("{name}-os-disk"), "createOption": "FromImage", "deleteOption": "Delete", "diskSizeGB": 50 },
                "dataDisks": [{ "lun": 0, "name": format!("{name}-0-data-disk"), "createOption": "Empty", "deleteOption": "Detach", "diskSizeGB": 10 }],
            },
            "osProfile": {
                "computerName": name, "adminUsername": "core", "customData": "I2Nsb3VkLWNvbmZpZw==",
                "linuxConfiguration": {
                    "disablePasswordAuthentication": true,
                    "ssh": { "publicKeys": [{ "path": "/home/core/.ssh/authorized_keys", "keyData": "ssh-rsa AAAA" }] },
                },
            },
            "networkProfile": { "networkInterfaces": [
                { "id": format!("{}/providers/Microsoft.Network/networkInterfaces/{name}-nic", group()), "properties": { "primary": true, "deleteOption": "Delete" } },
            ] },
        },
    })
}

#[tokio::test]
async fn a_vm_comes_by_201_and_its_operation_and_goes_with_what_it_was_to_take_along() {
    let settings = Settings { vm_takes: Duration::from_millis(300), ..Settings::default() };
    let client = Client::of(settings).await;
    client.nic("vm-1-nic").await;
    let put = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&vm("vm-1"))).await;
    assert_eq!((put.status, put.body["properties"]["provisioningState"].as_str()), (201, Some("Creating")));
    assert!(!put.header("x-ms-request-id").is_empty());
    assert!(!put.header("x-ms-ratelimit-remaining-subscription-writes").is_empty());
    assert_eq!(client.follow(&put).await["status"], "Succeeded");
    let seen = client.vm("VM-1").await.body;
    assert_eq!(seen["properties"]["provisioningState"], "Succeeded");
    assert_eq!(seen["properties"]["osProfile"].get("customData"), None, "what a guest reads is never shown");
    assert_eq!(client.fake.custom_data("shoot-one", "vm-1").unwrap(), b"#cloud-config");
    assert_eq!(client.fake.stock(), Stock { vms: 1, nics: 1, disks: 2, addresses: 0 });
    let disks = client.fake.disks();
    assert!(disks.iter().all(|disk| disk["tags"]["kubernetes.io-cluster-one"] == "1"), "{disks:?}");

    let again = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&vm("vm-1"))).await;
    assert_eq!(
        (again.status, again.body["properties"]["provisioningState"].as_str()),
        (200, Some("Updating"))
    );
    client.follow(&again).await;
    let mut other = vm("vm-1");
    other["properties"]["osProfile"]["customData"] = json!("b3RoZXI=");
    let refused = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&other)).await;
    assert_eq!((refused.status, refused.code()), (409, "PropertyChangeNotAllowed"));

    let deleted = client.send("DELETE", &client.url("virtualMachines", "vm-1"), None).await;
    assert_eq!(deleted.status, 202);
    assert!(deleted.header("location").contains("monitor=true"));
    assert_eq!(client.follow(&deleted).await["status"], "Succeeded");
    assert_eq!(client.send("GET", deleted.header("location"), None).await.status, 204);
    assert_eq!(
        (client.vm("vm-1").await.status, client.vm("vm-1").await.code().to_owned()),
        (404, "ResourceNotFound".into())
    );
    assert_eq!(client.fake.stock(), Stock { disks: 1, ..Stock::default() }, "the disk to be detached stays");
    let nothing = client.send("DELETE", &client.url("virtualMachines", "vm-1"), None).await;
    assert_eq!(nothing.status, 204);
    assert_eq!(client.fake.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_put_that_must_not_overwrite_does_not() {
    let client = Client::of(Settings::default()).await;
    client.nic("vm-1-nic").await;
    let put = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&vm("vm-1"))).await;
    client.follow(&put).await;
    let request = client.http.put(client.url("virtualMachines", "vm-1")).bearer_auth(&client.token);
    let refused = answered(request.header("if-none-match", "*").body(vm("vm-1").to_string())).await;
    assert_eq!((refused.status, refused.code()), (412, "PreconditionFailed"));
}

#[tokio::test]
async fn what_is_in_use_can_not_be_deleted() {
    let client = Client::of(Settings::default()).await;
    client.nic("vm-1-nic").await;
    let put = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&vm("vm-1"))).await;
    client.follow(&put).await;
    let nic = client.send("DELETE", &client.url("networkInterfaces", "vm-1-nic"), None).await;
    assert_eq!((nic.status, nic.code()), (400, "NicInUse"));
    let disk = client.send("DELETE", &client.url("disks", "vm-1-os-disk"), None).await;
    assert_eq!((disk.status, disk.code()), (409, "OperationNotAllowed"));
    let mut second = vm("vm-2");
    second["properties"]["networkProfile"] = vm("vm-1")["properties"]["networkProfile"].clone();
    let stolen = client.send("PUT", &client.url("virtualMachines", "vm-2"), Some(&second)).await;
    assert_eq!((stolen.status, stolen.code()), (400, "NicInUse"));
}

#[tokio::test]
async fn an_operation_that_fails_says_why_and_what_it_worked_on_stays() {
    let client = Client::of(Settings::default()).await;
    client.nic("vm-1-nic").await;
    let why = ArmError::new(StatusCode::CONFLICT, "ZonalAllocationFailed", "There is no room in zone 1.");
    client.fake.arm(AzureFault {
        fits: Box::new(|entry| entry.operation == "PUT virtualMachines"),
        strikes: Strikes::Nth(1),
        misfortune: Misfortune::FailLater(why),
    });
    let put = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&vm("vm-1"))).await;
    assert_eq!(put.status, 201);
    let document = client.follow(&put).await;
    assert_eq!(document["status"], "Failed");
    assert_eq!(document["error"]["code"], "ZonalAllocationFailed");
    assert_eq!(client.vm("vm-1").await.body["properties"]["provisioningState"], "Failed");
    let deleted = client.send("DELETE", &client.url("virtualMachines", "vm-1"), None).await;
    assert_eq!(client.follow(&deleted).await["status"], "Succeeded");
    assert_eq!(client.fake.stock().vms, 0);
}

#[tokio::test]
async fn while_one_write_goes_on_another_is_refused_and_a_deletion_takes_its_place() {
    let settings = Settings { vm_takes: PATIENCE, nic_takes: PATIENCE, ..Settings::default() };
    let client = Client::of(Settings { nic_takes: Duration::ZERO, ..settings }).await;
    client.nic("vm-1-nic").await;
    let url = client.url("virtualMachines", "vm-1");
    let put = client.send("PUT", &url, Some(&vm("vm-1"))).await;
    let busy = client.send("PUT", &url, Some(&vm("vm-1"))).await;
    assert_eq!((busy.status, busy.code()), (409, "ConflictingConcurrentWriteNotAllowed"));
    let deleted = client.send("DELETE", &url, None).await;
    assert_eq!(client.follow(&put).await["error"]["code"], "OperationPreempted");
    client.follow(&deleted).await;
    assert_eq!(client.fake.stock().vms, 0);
}

#[tokio::test]
async fn a_list_goes_on_by_its_next_link() {
    let client = Client::of(Settings { page: 2, ..Settings::default() }).await;
    for name in ["a", "b", "c", "d", "e"] {
        client.nic(&format!("{name}-nic")).await;
        let put = client.send("PUT", &client.url("virtualMachines", name), Some(&vm(name))).await;
        assert_eq!(put.status, 201, "{}", put.body);
    }
    let (mut url, mut names, mut pages) = (client.url("virtualMachines", ""), Vec::new(), 0);
    loop {
        let page = client.send("GET", &url, None).await.body;
        names.extend(page["value"].as_array().unwrap().iter().map(|vm| vm["name"].clone()));
        assert!(page["value"][0]["id"].as_str().unwrap().contains("/SHOOT-ONE/"), "as Compute spells it");
        pages += 1;
        match page["nextLink"].as_str() {
            Some(next) => url = next.to_owned(),
            None => break,
        }
    }
    assert_eq!((names, pages), (vec![json!("a"), json!("b"), json!("c"), json!("d"), json!("e")], 3));
}

#[tokio::test]
async fn a_list_that_lags_does_not_show_what_is_new() {
    let client = Client::of(Settings::default()).await;
    client.fake.lag_lists(PATIENCE * 60);
    client.nic("vm-1-nic").await;
    let listed = client.send("GET", &client.url("networkInterfaces", ""), None).await.body;
    assert_eq!(listed["value"], json!([]));
    let alone = client.send("GET", &client.url("networkInterfaces", "vm-1-nic"), None).await;
    assert_eq!(alone.status, 200);
}

#[tokio::test]
async fn what_the_vendor_does_not_know_is_refused_and_remembered() {
    let client = Client::of(Settings::default()).await;
    let mut misspelt = vm("vm-1");
    misspelt["properties"]["hardwareProfil"] = json!({});
    let refused = client.send("PUT", &client.url("virtualMachines", "vm-1"), Some(&misspelt)).await;
    assert_eq!((refused.status, refused.code()), (400, "InvalidRequestContent"));
    let url = client.url("virtualMachines", "vm-1");
    let unknown = client.send("GET", &url.replace(COMPUTE, "1999-01-01"), None).await;
    assert_eq!((unknown.status, unknown.code()), (400, "NoRegisteredProviderFound"));
    let without = client.send("GET", url.split('?').next().unwrap(), None).await;
    assert_eq!((without.status, without.code()), (400, "MissingApiVersionParameter"));
    let nowhere = client.send("GET", &url.replace("virtualMachines", "virtualMachine"), None).await;
    assert_eq!(nowhere.status, 404);
    let violations = client.fake.violations();
    assert_eq!(violations.len(), 4, "{violations:?}");
    assert!(violations[0].contains("$.properties.hardwareProfil"), "{violations:?}");
}

#[tokio::test]
async fn tokens_are_given_for_what_is_known_and_end() {
    let client = Client::of(Settings::default()).await;
    let wrong = client.log_in(&secret_form("wrong")).await;
    assert_eq!((wrong.status, wrong.body["error_codes"][0].as_u64()), (401, Some(7_000_215)));
    let stranger = secret_form("x").replace(Settings::default().client_id, "nobody");
    let stranger = client.log_in(&stranger).await;
    assert_eq!((stranger.status, stranger.body["error_codes"][0].as_u64()), (400, Some(700_016)));
    client.fake.expire_tokens();
    let expired = client.vm("vm-1").await;
    assert_eq!((expired.status, expired.code()), (401, "ExpiredAuthenticationToken"));
    client.fake.rotate_secret("another-secret");
    assert_eq!(client.vm("vm-1").await.code(), "InvalidAuthenticationToken");
    assert_eq!(client.log_in(&secret_form(Settings::default().client_secret)).await.status, 401);
    assert_eq!(client.log_in(&secret_form("another-secret")).await.status, 200);
}

#[tokio::test]
async fn an_image_under_a_plan_wants_its_terms_accepted() {
    let client = Client::of(Settings::default()).await;
    client.nic("vm-1-nic").await;
    let mut body = vm("vm-1");
    body["properties"]["storageProfile"]["imageReference"] =
        json!({ "publisher": "sap", "offer": "gardenlinux", "sku": "greatest", "version": "1877.5.0" });
    let url = client.url("virtualMachines", "vm-1");
    assert_eq!(client.send("PUT", &url, Some(&body)).await.code(), "VMMarketplaceInvalidInput");
    body["plan"] = json!({ "publisher": "sap", "product": "gardenlinux", "name": "greatest" });
    assert_eq!(client.send("PUT", &url, Some(&body)).await.code(), "MarketplacePurchaseEligibilityFailed");
    let terms = format!(
        "{}/subscriptions/{}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/sap/offers/gardenlinux/plans/greatest/agreements/current?api-version=2021-01-01",
        client.fake.url(),
        Settings::default().subscription
    );
    let mut agreement = client.send("GET", &terms, None).await.body;
    assert_eq!(agreement["properties"]["accepted"], false);
    agreement["properties"]["accepted"] = json!(true);
    assert_eq!(client.send("PUT", &terms, Some(&agreement)).await.status, 200);
    let put = client.send("PUT", &url, Some(&body)).await;
    assert_eq!(put.status, 201, "{}", put.body);
}

#[tokio::test]
async fn a_patch_changes_what_goes_along() {
    let client = Client::of(Settings::default()).await;
    client.nic("vm-1-nic").await;
    let url = client.url("virtualMachines", "vm-1");
    let put = client.send("PUT", &url, Some(&vm("vm-1"))).await;
    client.follow(&put).await;
    let mut disks = client.vm("vm-1").await.body["properties"]["storageProfile"]["dataDisks"].clone();
    disks[0]["deleteOption"] = json!("Delete");
    let patch = json!({ "properties": { "storageProfile": { "dataDisks": disks } } });
    let patched = client.send("PATCH", &url, Some(&patch)).await;
    assert_eq!(patched.status, 200, "{}", patched.body);
    client.follow(&patched).await;
    let deleted = client.send("DELETE", &url, None).await;
    client.follow(&deleted).await;
    assert_eq!(client.fake.stock(), Stock::default());
}
