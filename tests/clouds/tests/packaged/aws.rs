//! AWS.

#[path = "../aws/account.rs"]
#[allow(dead_code, reason = "shared with the tests of the provider, which need all of it")]
mod account;

use std::sync::Arc;

use async_trait::async_trait;
use millwright_clouds::{Call, Calls, FaultProxy, JoiningVm, JoiningVms, Moto, MotoOptions};
use serde_json::{Value, json};

use self::account::{AMI, Account, Place, REGION, values};
use crate::{
    run::up_roll_down,
    world::{World, counted},
};

struct Aws {
    account: Arc<Account>,
    place: Place,
    proxy: FaultProxy,
    _moto: Moto,
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_come_are_rolled_and_go_on_aws() {
    let moto = Moto::start(MotoOptions { pending_polls: 2, ..MotoOptions::default() }).await.unwrap();
    let account = Account::at(moto.url());
    let place = account.prepare().await;
    let proxy = FaultProxy::before(&[moto.url()], Call::reads_by_action).await.unwrap();
    up_roll_down(&Aws { account: Arc::new(account), place, proxy, _moto: moto }).await;
}

#[async_trait]
impl World for Aws {
    fn provider(&self) -> &'static str {
        "AWS"
    }

    fn flags(&self) -> Vec<String> {
        let places = ["aws.ec2", "aws.sts", "aws.metadata"];
        places.map(|place| format!("--cloud-endpoint={place}={}", self.proxy.url())).into()
    }

    fn spec(&self, generation: u32) -> Value {
        json!({
            "ami": AMI,
            "region": REGION,
            "machineType": "m5.large",
            "iam": { "name": "nodes" },
            "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
            "networkInterfaces": [{ "subnetID": self.place.subnet, "securityGroupIDs": [self.place.group] }],
            "tags": {
                "kubernetes.io/cluster/one": "1",
                "kubernetes.io/role/node": "1",
                "generation": generation.to_string(),
            },
        })
    }

    fn secret(&self) -> Vec<(&'static str, String)> {
        vec![
            ("providerAccessKeyId", "AKIAGOODGOODGOODGOOD".to_owned()),
            ("providerSecretAccessKey", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
        ]
    }

    fn joining(&self) -> Box<dyn Fn() -> JoiningVms + Send> {
        let account = self.account.clone();
        Box::new(move || {
            let account = account.clone();
            Box::pin(async move {
                let filter = [("Filter.1.Name", "instance-state-name"), ("Filter.1.Value.1", "running")];
                let seen = account.ec2("DescribeInstances", &filter).await;
                // Once for each instance, unlike the name, which its interfaces have too.
                seen.split("<instanceId>").skip(1).map(joining).collect()
            })
        })
    }

    async fn left(&self) -> Vec<String> {
        let mut left = self.account.vms().await;
        for (action, element) in
            [("DescribeVolumes", "volumeId"), ("DescribeNetworkInterfaces", "networkInterfaceId")]
        {
            left.extend(self.account.ids(action, &[], element).await);
        }
        left
    }

    fn calls(&self) -> Calls {
        self.proxy.counts()
    }

    fn told(&self) -> String {
        counted(self.proxy.calls().iter().filter_map(|call| call.form_field("Action")).collect())
    }

    fn changing_calls_of_a_life(&self) -> usize {
        2
    }
}

/// What stands behind the beginning of an instance's id.
fn joining(text: &str) -> JoiningVm {
    let id = text.split('<').next().unwrap_or_default();
    let name = values(text, "privateDnsName").into_iter().next().unwrap_or_default();
    JoiningVm { node_name: name, provider_id: format!("aws:///{REGION}a/{id}") }
}
