//! What a provider asked to be given comes back to it, however old the machine is that a plan was made for.

use millwright_api::MachineCode;
use millwright_decide::machine::{CallFailure, CloudOperation};

use super::*;

#[tokio::test(start_paused = true)]
async fn a_call_is_given_the_state_of_the_last_answer_and_not_what_the_machine_said_before() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
    *cloud.lingers.lock() = true;
    let mut dying = machine("m");
    dying.spec.provider_id = "fake://m".into();
    dying.status.last_known_state = "written".into();
    fleet.update(|index| index.apply_machine(dying.clone()));
    let dying = Arc::new(dying);
    let delete = async || execute(&fleet, &dying, &MachineAction::DeleteVm).await.expect("noted");
    // The first call of this process, and the one after the cloud said that it goes on.
    delete().await;
    delete().await;
    // It failed, and what went on is to be forgotten.
    fleet.memories.lock().machines.entry("uid-m".into()).or_default().failed(CallFailure {
        operation: CloudOperation::Delete,
        code: MachineCode::Internal,
        message: "its operation failed".into(),
        attempts: 1,
        at: fleet.now(),
        retry_after: None,
        state: Some(String::new()),
    });
    delete().await;
    let known = |text: &str| Some(text.to_owned());
    assert_eq!(*cloud.states.lock(), [known("written"), known("going"), None]);
}
