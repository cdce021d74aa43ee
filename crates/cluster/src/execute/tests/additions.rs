//! What we add to a Machine's status, where the API server drops it.

use millwright_api::MachinePhase;
use millwright_decide::machine::Additions;

use super::*;

#[tokio::test(start_paused = true)]
async fn what_an_api_server_drops_from_a_status_is_noticed_and_not_written_again() {
    let mut bare = machine("m");
    bare.spec.provider_id = "fake://m".into();
    bare.status.current_status.phase = MachinePhase::Running;
    let mut wanted = bare.status.clone();
    wanted.phase = "Running".into();
    let mut kept = bare.clone();
    kept.status = wanted.clone();
    for (answer, expected) in [(&bare, Additions::Dropped), (&kept, Additions::Kept)] {
        let server = FakeServer::answering([(200, as_json(answer))]);
        let fleet = led(&server);
        fleet.update(|index| index.apply_machine(bare.clone()));
        let action = MachineAction::PatchStatus(Box::new(wanted.clone()));
        execute(&fleet, &Arc::new(bare.clone()), &action).await.expect("it is written");
        let seen = fleet.memories.lock().machines.get(bare.uid()).map(|memory| memory.additions);
        assert_eq!(seen, Some(expected));
    }
}
