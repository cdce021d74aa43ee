//! A machine in Kubermatic's dialect: born as its manifest says, known by its UID, and gone.

use std::time::{Duration, Instant};

use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::kubermatic::{ClusterRole, Found, resolve};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, MachineView,
    SpecRules as _, Target, UserData,
};
use millwright_provider_aws::AwsRules;
use serde_json::{Value, json};

use crate::account::{AMI, REGION};
use crate::lab::{AwsCloud, Lab, instance};
use crate::life::machine;

/// The manifest as it is stored; its key is that of the lab.
fn resolved(cloud: &AwsCloud) -> (Value, Credentials) {
    let good = cloud.credentials();
    let text = |key: &str| good.text(key).unwrap();
    let value = json!({
        "cloudProvider": "aws",
        "cloudProviderSpec": {
            "accessKeyId": { "value": text("providerAccessKeyId") }, "secretAccessKey": text("providerSecretAccessKey"),
            "region": REGION, "availabilityZone": format!("{REGION}a"), "vpcId": "vpc-1", "subnetId": cloud.place.subnet,
            "securityGroupIDs": [cloud.place.group], "instanceProfile": "nodes", "instanceType": "m5.large", "ami": AMI,
            "diskSize": 50, "diskType": "gp3", "tags": { "team": "a" }, "assignPublicIP": false,
        },
        "operatingSystem": "ubuntu",
        "operatingSystemSpec": {},
    });
    let owner = ClusterRole { cluster: "one".into(), role: "node".into() };
    let resolved = resolve(&value, AwsRules.kubermatic().unwrap(), &owner, &Found::default()).unwrap();
    (resolved.spec, resolved.credentials)
}

fn target<'a>(spec: &'a Value, machine: &'a MachineView, credentials: &'a Credentials) -> Target<'a> {
    let class = ClassView {
        dialect: Dialect::Kubermatic,
        name: "m",
        namespace: "kube-system",
        spec,
        node_template: None,
    };
    Target {
        class,
        machine,
        credentials,
        deadline: Deadline::after(Instant::now(), Duration::from_secs(120)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_of_kubermatic_is_born_known_by_its_uid_and_gone() {
    let lab = Lab::open().await;
    let cloud = lab.cloud().await;
    let provider = cloud.provider();
    let (spec, credentials) = resolved(&cloud);
    let mut machine = machine(1);
    let user_data = UserData::new("#cloud-config".into());
    let CreateOutcome::Created(born) =
        provider.create(target(&spec, &machine, &credentials), &user_data).await.unwrap()
    else {
        panic!("the VM is made in one call")
    };
    assert!(born.provider_id.starts_with(&format!("aws:///{REGION}a/i-")), "{}", born.provider_id);
    let seen = provider.status(target(&spec, &machine, &credentials)).await.unwrap();
    assert_eq!(seen.provider_id, born.provider_id, "found by its UID alone");

    machine.provider_id = Some(born.provider_id);
    let request = DeleteRequest { target: target(&spec, &machine, &credentials), keep_volumes: &[] };
    let died = provider.delete(request).await.unwrap();
    assert!(matches!(died, DeleteOutcome::Gone | DeleteOutcome::Unproven), "{died:?}");
    let gone = provider.status(target(&spec, &machine, &credentials)).await.unwrap_err();
    assert_eq!(gone.code, millwright_api::MachineCode::NotFound, "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_that_bears_the_uid_and_no_scope_gets_no_second_one_beside_it() {
    let lab = Lab::open().await;
    let cloud = lab.cloud().await;
    let provider = cloud.provider();
    let (spec, credentials) = resolved(&cloud);
    let user_data = UserData::new("#cloud-config".into());
    let born = async |target: Target<'_>| match provider.create(target, &user_data).await.unwrap() {
        CreateOutcome::Created(born) => instance(&born.provider_id).to_owned(),
        other @ CreateOutcome::InProgress { .. } => panic!("{other:?}"),
    };
    let place = async |machine: &MachineView| {
        let tags = [("Machine-UID", machine.uid.as_deref().unwrap()), ("Name", machine.name.as_str())];
        cloud.account.run(&cloud.place, &tags).await
    };
    let [first, ended] = [1, 2].map(machine);
    let theirs = place(&first).await;
    assert_eq!(born(target(&spec, &first, &credentials)).await, theirs, "taken up by its UID alone");

    let over = place(&ended).await;
    cloud.account.ec2("TerminateInstances", &[("InstanceId.1", over.as_str())]).await;
    assert_ne!(born(target(&spec, &ended, &credentials)).await, over, "one that has ended is none");

    // In Gardener's dialect a VM without the tags of the cluster is nobody's that is known here.
    let (spec, credentials) = (cloud.spec(), cloud.credentials());
    let mut gardener = target(&spec, &first, &credentials);
    gardener.class.dialect = Dialect::Gardener;
    assert_ne!(born(gardener).await, theirs);
}
