//! The end of a VM that was bought on the spot market.

use millwright_api::MachineCode;
use millwright_clouds::{Call, Fault, When};
use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::{DeleteRequest, Provider as _};
use serde_json::json;

use crate::lab::{Lab, instance};
use crate::life::{Host, machine};
use crate::rows::{answer_of, refusal_of};

fn acts(call: &Call, action: &str) -> bool {
    call.form_field("Action").as_deref() == Some(action)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_of_an_unreadable_class_does_not_stay_because_its_spot_request_may_not_be_cancelled() {
    let lab = Lab::open().await;
    let mut host = Host::of(&lab).await;
    let mut machine = machine(1);
    let born = host.born(&mut machine).await;
    host.spec["machineType"] = json!(7);
    // The stand-in does not tell of the request.
    let id = format!("<instanceId>{}</instanceId>", instance(&born.provider_id));
    let shown = host.cloud.account.ec2("DescribeInstances", &[]).await;
    assert!(shown.contains(&id), "{shown}");
    let spot = format!("{id}<spotInstanceRequestId>sir-1</spotInstanceRequestId>");
    let shown = answer_of(shown.replacen(&id, &spot, 1));
    let refuse = |code: &str, http| {
        let look = Fault::new(When::Always, shown.clone(), |call| acts(call, "DescribeInstances"));
        let refusal = refusal_of(code, "as the test wants it", http);
        host.cloud.proxy.add(look);
        host.cloud
            .proxy
            .add(Fault::new(When::Always, refusal, |call| acts(call, "CancelSpotInstanceRequests")));
        host.cloud.proxy.forget();
    };

    refuse("Unavailable", 503);
    let request = DeleteRequest { target: host.target(&machine), keep_volumes: &[] };
    let refused = host.cloud.provider.delete(request).await.unwrap_err();
    assert_eq!(refused.code, MachineCode::Unavailable, "what passes by itself is asked again: {refused}");
    assert_eq!(host.cloud.account.vms().await.len(), 1);

    host.cloud.clear_faults().await;
    refuse("UnauthorizedOperation", 403);
    let request = DeleteRequest { target: host.target(&machine), keep_volumes: &[] };
    host.cloud.provider.delete(request).await.unwrap();
    assert_eq!(
        host.cloud.actions(),
        ["DescribeInstances", "CancelSpotInstanceRequests", "TerminateInstances"]
    );
    assert_eq!(host.cloud.account.vms().await, Vec::<String>::new());
}
