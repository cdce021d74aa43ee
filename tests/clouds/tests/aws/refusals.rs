//! Creations that EC2 refuses: what each refusal means for the machine.

use millwright_api::MachineCode;
use millwright_provider::contract::ScriptedCloud as _;
use serde_json::json;

use crate::lab::Lab;
use crate::life::{Host, machine};

#[tokio::test(flavor = "multi_thread")]
async fn misfortunes_of_the_stand_in_have_their_codes() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    for (machine_type, code) in [
        ("x.insufficient", MachineCode::ResourceExhausted),
        ("x.addresses", MachineCode::ResourceExhausted),
        ("x.vcpus", MachineCode::ResourceExhausted),
        ("x.limit", MachineCode::ResourceExhausted),
        ("x.spot", MachineCode::ResourceExhausted),
        ("x.price", MachineCode::ResourceExhausted),
        ("x.unsupported", MachineCode::ResourceExhausted),
        ("x.internal", MachineCode::Unavailable),
        ("x.denied", MachineCode::PermissionDenied),
        ("x.opt-in", MachineCode::FailedPrecondition),
        ("x.unknown", MachineCode::InvalidArgument),
    ] {
        host.spec["machineType"] = machine_type.into();
        let error = host.create(&machine(1)).await.unwrap_err();
        assert_eq!(error.code, code, "{machine_type}: {error}");
        assert!(
            error.message.starts_with("AWS: RunInstances: ") && error.message.contains("(request "),
            "{error}"
        );
    }
    assert_eq!(
        host.cloud.census().await.to_string(),
        "0 VMs, 0 NICs, 0 disks",
        "refused creations cost nothing"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_class_names_and_ec2_does_not_know_is_an_invalid_argument() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    let good = host.spec.clone();
    let interface = |subnet: &str, group: &str| json!([{ "subnetID": subnet, "securityGroupIDs": [group] }]);
    let place = host.cloud.place.clone();
    for (field, value) in [
        ("ami", json!("ami-0123456789abcdef0")),
        ("iam", json!({ "name": "nobody" })),
        ("keyName", json!("nobody")),
        ("networkInterfaces", interface("subnet-01234567", &place.group)),
        ("networkInterfaces", interface(&place.subnet, "sg-01234567")),
    ] {
        host.spec = good.clone();
        host.spec[field] = value;
        let error = host.create(&machine(1)).await.unwrap_err();
        assert_eq!(error.code, MachineCode::InvalidArgument, "{field}: {error}");
    }
}
