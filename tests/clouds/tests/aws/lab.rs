//! A cloud for the contract suite: Moto behind a proxy that refuses, loses and hangs, and knows which access key is good.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec};
use millwright_cloud_http::{CloudAccess, Endpoint, Endpoints, HttpClient};
use millwright_clouds as clouds;
use millwright_clouds::{FaultProxy, Moto, MotoOptions};
use millwright_provider::contract::{
    Bench, Call, Calls, Census, Effect, ErrorRow, Fault, Offered, Owner, PlacedVm, Refusal, ScriptedCloud,
    When,
};
use millwright_provider::{Credentials, Provider};
use millwright_provider_aws::AwsProvider;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::account::{AMI, Account, Place, REGION, first, tagged, values};
use crate::rows::{ROWS, answer_of, refusal_of};

pub(crate) const CLUSTER: &str = "kubernetes.io/cluster/one";
pub(crate) const ROLE: &str = "kubernetes.io/role/node";
const GOOD: &str = "AKIAGOODGOODGOODGOOD";
const ROTATED: &str = "AKIAROTATEDROTATEDRO";
const USER_DATA: &str = "#cloud-config\n# of the class's Secret";

/// A server whose account is empty for each cloud.
pub(crate) struct Lab {
    moto: Moto,
}

impl Lab {
    pub(crate) async fn open() -> Self {
        Self { moto: Moto::start(MotoOptions { page: 10, ..MotoOptions::default() }).await.unwrap() }
    }

    pub(crate) async fn cloud(&self) -> AwsCloud {
        self.moto.reset().await.unwrap();
        let account = Account::at(self.moto.url());
        let place = account.prepare().await;
        let proxy = FaultProxy::before(&[self.moto.url()], clouds::Call::reads_by_action).await.unwrap();
        let cloud = AwsCloud {
            provider: Arc::new(AwsProvider::new(access(proxy.url()))),
            account,
            place,
            proxy,
            good: Arc::new(Mutex::new(GOOD.to_owned())),
            volumes: Mutex::default(),
        };
        cloud.be_kind();
        cloud
    }
}

/// Access by which every call ends at that address.
pub(crate) fn access(url: &str) -> CloudAccess {
    let endpoints =
        Endpoints::default().with(Endpoint::AwsEc2, url).unwrap().with(Endpoint::AwsSts, url).unwrap();
    let endpoints = endpoints.with(Endpoint::AwsMetadata, url).unwrap();
    CloudAccess::over(Arc::new(HttpClient::new().unwrap())).at(endpoints)
}

#[async_trait]
impl Bench for Lab {
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud> {
        Box::new(self.cloud().await)
    }
}

pub(crate) struct AwsCloud {
    pub(crate) provider: Arc<AwsProvider>,
    pub(crate) account: Account,
    pub(crate) place: Place,
    pub(crate) proxy: FaultProxy,
    good: Arc<Mutex<String>>,
    volumes: Mutex<Vec<String>>,
}

impl AwsCloud {
    /// No misfortune but that of an unknown key.
    fn be_kind(&self) {
        self.proxy.clear();
        let good = self.good.clone();
        let refused =
            refusal_of("AuthFailure", "AWS was not able to validate the provided access credentials", 401);
        self.proxy.add(clouds::Fault::new(clouds::When::Always, refused, move |call| {
            let header = call.headers.get("authorization").and_then(|value| value.to_str().ok());
            let good = format!("Credential={}/", good.lock());
            header.is_some_and(|header| !header.contains(&good))
        }));
    }

    /// Actions of the provider's calls, in their order.
    pub(crate) fn actions(&self) -> Vec<String> {
        self.proxy.calls().iter().filter_map(|call| call.form_field("Action")).collect()
    }

    pub(crate) fn spec_with(&self, tags: Value) -> Value {
        json!({
            "ami": AMI, "region": REGION, "machineType": "m5.large", "iam": { "name": "nodes" },
            "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
            "networkInterfaces": [{ "subnetID": self.place.subnet, "securityGroupIDs": [self.place.group] }],
            "srcAndDstChecksEnabled": false,
            "tags": tags
        })
    }
}

pub(crate) fn credentials_of(key: &str) -> Credentials {
    let secret = [
        ("providerAccessKeyId", key),
        ("providerSecretAccessKey", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("userData", USER_DATA),
    ];
    Credentials::merge([secret.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into()])
}

/// The instance's own id.
pub(crate) fn instance(provider_id: &str) -> &str {
    provider_id.rsplit('/').next().unwrap()
}

#[async_trait]
impl ScriptedCloud for AwsCloud {
    fn provider(&self) -> Arc<dyn Provider> {
        self.provider.clone()
    }

    fn spec(&self) -> Value {
        self.spec_with(json!({ CLUSTER: "1", ROLE: "1", "team": "a" }))
    }

    fn specs_without_scope(&self) -> Vec<Value> {
        [json!({ CLUSTER: "1" }), json!({ ROLE: "1" }), json!({ "team": "a" }), json!({})]
            .map(|tags| self.spec_with(tags))
            .into()
    }

    fn required_fields(&self) -> Vec<&'static str> {
        vec!["ami", "region", "machineType", "iam", "blockDevices", "networkInterfaces", "tags"]
    }

    fn home_fields(&self) -> Vec<&'static str> {
        vec!["region", "tags"]
    }

    fn credentials(&self) -> Credentials {
        credentials_of(GOOD)
    }

    fn refused_credentials(&self) -> Credentials {
        credentials_of("AKIANOBODYNOBODYNOBO")
    }

    async fn rotate_credentials(&self) -> Credentials {
        *self.good.lock() = ROTATED.to_owned();
        credentials_of(ROTATED)
    }

    fn names_are_unique(&self) -> Offered {
        Offered::No
    }

    async fn place_vm(&self, vm: &PlacedVm) -> Option<String> {
        let (cluster, role) = match vm.owner {
            Owner::Us => (CLUSTER, ROLE),
            Owner::OtherCluster => ("kubernetes.io/cluster/two", ROLE),
            Owner::ClusterWithOurPrefix => ("kubernetes.io/cluster/one-two", ROLE),
            Owner::OtherRole => (CLUSTER, "kubernetes.io/role/master"),
        };
        let mut tags = vec![(cluster, "1"), (role, "1"), ("Name", vm.name.as_str())];
        tags.extend(vm.uid.as_deref().map(|uid| ("Machine-UID", uid)));
        Some(format!("aws:///{REGION}/{}", self.account.run(&self.place, &tags).await))
    }

    async fn census(&self) -> Census {
        let pods = self.volumes.lock().clone();
        let disks = self.account.ids("DescribeVolumes", &[], "volumeId").await;
        Census {
            vms: self.account.vms().await.len(),
            nics: self.account.ids("DescribeNetworkInterfaces", &[], "networkInterfaceId").await.len(),
            disks: disks.iter().filter(|disk| !pods.contains(disk)).count(),
        }
    }

    async fn calls(&self) -> Calls {
        let clouds::Calls { reading, changing } = self.proxy.counts();
        Calls { reading, changing }
    }

    async fn set_fault(&self, fault: Fault) {
        self.be_kind();
        let when = match fault.when {
            When::Nth(nth) => clouds::When::Nth(nth),
            When::Always => clouds::When::Always,
        };
        let effect = match fault.effect {
            Effect::LoseReply => clouds::Effect::LoseReply,
            Effect::Hang => clouds::Effect::Hang,
            Effect::Refuse(refusal) => {
                let code = match refusal {
                    Refusal::Unauthenticated => "AuthFailure",
                    Refusal::Forbidden => "UnauthorizedOperation",
                    Refusal::Throttled(_) => "RequestLimitExceeded",
                    Refusal::InternalError => "InternalError",
                    Refusal::Down => "Unavailable",
                };
                let effect = refusal_of(code, "as the test wants it", refusal.http_status());
                match refusal {
                    Refusal::Throttled(wait) => {
                        effect.with_header("retry-after", &wait.as_secs().to_string())
                    }
                    _ => effect,
                }
            }
        };
        let only_creation = fault.call == Call::CreateVm;
        self.proxy.add(clouds::Fault::new(when, effect, move |call| {
            !only_creation || call.form_field("Action").as_deref() == Some("RunInstances")
        }));
    }

    async fn clear_faults(&self) {
        self.be_kind();
    }

    fn other_spellings(&self, provider_id: &str) -> Vec<String> {
        let id = instance(provider_id);
        vec![format!("aws:///{REGION}a/{id}"), format!("aws://{REGION}b/{id}")]
    }

    fn error_rows(&self) -> Vec<ErrorRow> {
        ROWS.iter()
            .map(|row| ErrorRow { name: row.code, operation: row.operation, code: row.becomes })
            .collect()
    }

    async fn provoke(&self, wanted: &ErrorRow) {
        let row =
            ROWS.iter().find(|row| row.code == wanted.name && row.operation == wanted.operation).unwrap();
        self.be_kind();
        let effect = refusal_of(row.code, row.message, row.http);
        self.proxy.add(clouds::Fault::new(clouds::When::Always, effect, |call| {
            call.form_field("Action").as_deref() == Some(row.action())
        }));
    }

    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        let csi = CSIPersistentVolumeSource {
            driver: "ebs.csi.aws.com".into(),
            volume_handle: "vol-1".into(),
            ..CSIPersistentVolumeSource::default()
        };
        Some((PersistentVolumeSpec { csi: Some(csi), ..PersistentVolumeSpec::default() }, "vol-1".into()))
    }

    fn user_data_limit(&self) -> Option<usize> {
        Some(16 * 1024)
    }

    fn initialization_steps(&self) -> Offered {
        Offered::Yes
    }

    async fn lag_lists(&self, _lag: Duration) -> Offered {
        let body = "<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>lag</requestId>\
                    <reservationSet/></DescribeInstancesResponse>";
        let empty = answer_of(body.to_owned());
        self.proxy.add(clouds::Fault::new(clouds::When::Always, empty, |call| {
            call.form_field("Action").as_deref() == Some("DescribeInstances")
        }));
        Offered::Yes
    }

    async fn attach_volume(&self, provider_id: &str) -> Option<String> {
        let zone = format!("{REGION}a");
        let made =
            self.account.ec2("CreateVolume", &[("AvailabilityZone", zone.as_str()), ("Size", "1")]).await;
        let volume = first(&made, "volumeId");
        let attached =
            [("VolumeId", volume.as_str()), ("InstanceId", instance(provider_id)), ("Device", "/dev/sdx")];
        self.account.ec2("AttachVolume", &attached).await;
        self.volumes.lock().push(volume.clone());
        Some(volume)
    }

    async fn volumes(&self) -> Vec<String> {
        let made = self.volumes.lock().clone();
        let there = self.account.ids("DescribeVolumes", &[], "volumeId").await;
        made.into_iter().filter(|volume| there.contains(volume)).collect()
    }

    async fn leave_leftovers(&self, provider_id: &str) -> Offered {
        let id = instance(provider_id);
        let seen = self.account.ec2("DescribeInstances", &[("InstanceId.1", id)]).await;
        let tags: Vec<(String, String)> =
            values(&seen, "key").into_iter().zip(values(&seen, "value")).collect();
        let tags: Vec<(&str, &str)> =
            tags.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let keep = [
            ("InstanceId", id),
            ("BlockDeviceMapping.1.DeviceName", "/dev/sda1"),
            ("BlockDeviceMapping.1.Ebs.DeleteOnTermination", "false"),
        ];
        self.account.ec2("ModifyInstanceAttribute", &keep).await;
        self.account.ec2("TerminateInstances", &[("InstanceId.1", id)]).await;
        // Moto can not keep an interface that was made with its instance; this one looks as if it had been.
        let mut parameters = vec![
            ("SubnetId".to_owned(), self.place.subnet.clone()),
            ("TagSpecification.1.ResourceType".to_owned(), "network-interface".to_owned()),
        ];
        parameters.extend(tagged("TagSpecification.1.", &tags));
        let parameters: Vec<(&str, &str)> =
            parameters.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        self.account.ec2("CreateNetworkInterface", &parameters).await;
        Offered::Yes
    }

    async fn received_user_data(&self, provider_id: &str) -> Option<Vec<u8>> {
        Some(self.account.user_data(instance(provider_id)).await)
    }
}
