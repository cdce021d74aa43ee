//! Signatures and permissions: the calls of a life under the very policy that docs/providers/aws.md recommends, and one outside it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use millwright_api::MachineCode;
use millwright_clouds::{Moto, MotoOptions};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteRequest, Dialect, MachineView, Provider as _,
    Target, UserData,
};
use millwright_provider_aws::AwsProvider;
use serde_json::{Value, json};

use crate::account::{AMI, Account, REGION, first};
use crate::lab::{CLUSTER, ROLE, access};
use crate::life::machine;

/// The policy as the page has it: the first JSON block behind its heading.
fn recommended() -> Value {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/providers/aws.md");
    let page = std::fs::read_to_string(page).unwrap();
    let behind = page.split_once("## Permissions").unwrap().1;
    let block = behind.split_once("```json").unwrap().1.split_once("```").unwrap().0;
    serde_json::from_str(block).unwrap()
}

struct Guarded {
    moto: Moto,
    provider: Arc<AwsProvider>,
    spec: Value,
    good: Credentials,
}

fn credentials(id: &str, secret: &str) -> Credentials {
    let secret = [("accessKeyID", id), ("secretAccessKey", secret), ("userData", "#cloud-config")];
    Credentials::merge([secret.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into()])
}

/// A user with that policy, in an account that checks every call from now on.
async fn guarded(policy: &Value) -> Guarded {
    let moto = Moto::start(MotoOptions::default()).await.unwrap();
    let account = Account::at(moto.url());
    let place = account.prepare().await;
    account.call("iam", "CreateUser", &[("UserName", "millwright")]).await;
    let document = policy.to_string();
    let put = [("UserName", "millwright"), ("PolicyName", "machines"), ("PolicyDocument", document.as_str())];
    account.call("iam", "PutUserPolicy", &put).await;
    let key = account.call("iam", "CreateAccessKey", &[("UserName", "millwright")]).await;
    let good = credentials(&first(&key, "AccessKeyId"), &first(&key, "SecretAccessKey"));
    moto.check_signatures_after(0).await.unwrap();
    let spec = json!({
        "ami": AMI, "region": REGION, "machineType": "m5.large", "iam": { "name": "nodes" },
        "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
        "networkInterfaces": [{ "subnetID": place.subnet, "securityGroupIDs": [place.group] }],
        "srcAndDstChecksEnabled": false,
        "tags": { CLUSTER: "1", ROLE: "1" }
    });
    let provider = Arc::new(AwsProvider::new(access(moto.url())));
    Guarded { moto, provider, spec, good }
}

impl Guarded {
    fn target<'a>(&'a self, machine: &'a MachineView, credentials: &'a Credentials) -> Target<'a> {
        let class = ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &self.spec,
            node_template: None,
        };
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(120));
        Target { class, machine, credentials, deadline }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_life_is_allowed_by_the_policy_of_the_page_and_signed_as_aws_wants_it() {
    let cloud = guarded(&recommended()).await;
    let mut machine = machine(1);
    let text = UserData::new("#cloud-config".into());
    let made = cloud.provider.create(cloud.target(&machine, &cloud.good), &text).await.unwrap();
    let CreateOutcome::Created(vm) = made else { panic!("{made:?}") };
    machine.provider_id = Some(vm.provider_id);
    cloud.provider.status(cloud.target(&machine, &cloud.good)).await.unwrap();
    cloud.provider.initialize(cloud.target(&machine, &cloud.good)).await.unwrap();
    for _ in 0..2 {
        let request = DeleteRequest { target: cloud.target(&machine, &cloud.good), keep_volumes: &[] };
        cloud.provider.delete(request).await.unwrap();
    }
    let target = cloud.target(&machine, &cloud.good);
    assert_eq!(cloud.provider.list(target.class, &cloud.good, target.deadline).await.unwrap(), []);
    cloud.moto.check_no_signatures().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_outside_the_policy_is_refused() {
    let mut policy = recommended();
    for statement in policy["Statement"].as_array_mut().unwrap() {
        statement["Action"].as_array_mut().unwrap().retain(|action| action != "ec2:RunInstances");
    }
    policy["Statement"].as_array_mut().unwrap().retain(|statement| statement["Action"] != json!([]));
    let cloud = guarded(&policy).await;
    let machine = machine(1);
    let text = UserData::new("#cloud-config".into());
    let error = cloud.provider.create(cloud.target(&machine, &cloud.good), &text).await.unwrap_err();
    assert_eq!(error.code, MachineCode::PermissionDenied, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_or_secret_is_unauthenticated() {
    let cloud = guarded(&recommended()).await;
    let machine = machine(1);
    let id = cloud.good.text("accessKeyID").unwrap().to_owned();
    for credentials in
        [credentials(&id, "not-the-secret-of-this-key"), credentials("AKIANOBODYNOBODYNOBO", "whatever")]
    {
        let error = cloud.provider.status(cloud.target(&machine, &credentials)).await.unwrap_err();
        assert_eq!(error.code, MachineCode::Unauthenticated, "{error}");
        assert!(!error.to_string().contains("not-the-secret"), "{error}");
    }
}
