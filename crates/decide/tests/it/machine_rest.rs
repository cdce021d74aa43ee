//! Whatever a machine has come to, it comes to rest: nothing is written twice, and nothing because time goes by.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::annotations::{LAST_APPLIED_NODE_PRESERVE_VALUE, PRESERVE};
use millwright_api::keys::{finalizers, labels, taints};
use millwright_api::{
    Machine, MachineCode, MachinePhase, NodeCondition, NodeView, OperationState, OperationType,
    VolumeAttachmentView,
};
use millwright_decide::drain::{DrainSlot, EvictionOutcome, PodListing, PodOnNode};
use millwright_decide::machine::{
    CloudOperation, MachineAction, MachinePlan, MeltdownGuard, MeltdownScope, VmKnowledge,
};
use millwright_provider::Initialization;
use proptest::prelude::*;
use proptest::sample::select;

use crate::fixtures::machine::{annotated, born, deleting, labelled, owned, vm};
use crate::fixtures::node::{condition, ready, taint};
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, names};
use crate::fixtures::time::{at, time};

/// When everything began, and when it is looked at.
const NOW: i64 = 5000;

fn phase() -> impl Strategy<Value = MachinePhase> {
    select(vec![
        MachinePhase::Empty,
        MachinePhase::CrashLoopBackOff,
        MachinePhase::Pending,
        MachinePhase::Running,
        MachinePhase::Unknown,
        MachinePhase::Failed,
        MachinePhase::Available,
        MachinePhase::Terminating,
        MachinePhase::InPlaceUpdating,
        MachinePhase::InPlaceUpdateSuccessful,
        MachinePhase::InPlaceUpdateFailed,
    ])
}

fn machine() -> impl Strategy<Value = Machine> {
    let wish = || {
        select(vec![
            None,
            Some("now"),
            Some("when-failed"),
            Some("auto-preserved"),
            Some("false"),
            Some("odd"),
        ])
    };
    let operation = select(vec![
        (OperationType::Create, "Creating machine on cloud provider"),
        (OperationType::Create, "VM using old node obj"),
        (OperationType::HealthCheck, "Machine m is unhealthy"),
        (OperationType::Delete, "Initiate node drain"),
        (OperationType::Delete, "Delete Volume Attachments"),
        (OperationType::Delete, "Initiate VM deletion"),
        (OperationType::Delete, "Initiate node object deletion"),
        (OperationType::InPlaceUpdate, "Machine m is undergoing an in-place update"),
        (OperationType::DrainNode, "Draining node m since 2027-01-15T08:00:00Z."),
    ]);
    let state = select(vec![OperationState::Processing, OperationState::Failed, OperationState::Successful]);
    let times = (select(vec![0, NOW - 30, NOW]), select(vec![None, Some(NOW - 1), Some(NOW + 900)]));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (phase(), wish(), select(vec![None, Some(""), Some("now")]), operation, state, times, flags).prop_map(
        |(
            phase,
            wish,
            applied,
            operation,
            state,
            (since, expiry),
            (dies, forced, has_id, has_set, patient),
        )| {
            let mut machine = born("m", phase);
            for (key, value) in [(PRESERVE, wish), (LAST_APPLIED_NODE_PRESERVE_VALUE, applied)] {
                if let Some(value) = value {
                    machine = annotated(machine, key, value);
                }
            }
            if !has_id {
                machine.spec.provider_id.clear();
            }
            if has_set {
                machine = owned(machine, "uid-set");
            }
            if forced {
                machine = labelled(machine, labels::FORCE_DELETION, "true");
            }
            // Nobody says so of a machine that stays.
            if dies || machine.status.current_status.phase == MachinePhase::Terminating {
                machine = deleting(machine, since);
            }
            machine.spec.configuration.disable_health_timeout = Some(patient);
            let status = &mut machine.status;
            status.current_status.last_update_time = time(since);
            status.current_status.preserve_expiry_time = expiry.map(|expiry| Time(at(expiry)));
            (status.last_operation.type_, status.last_operation.state) = (operation.0, state);
            status.last_operation.description = operation.1.into();
            status.last_operation.last_update_time = time(since);
            machine
        },
    )
}

fn node() -> impl Strategy<Value = NodeView> {
    let sick = select(vec![None, Some(("Ready", "Unknown")), Some(("KernelDeadlock", "True"))]);
    let update = select(vec![
        None,
        Some("CandidateForUpdate"),
        Some("SelectedForUpdate"),
        Some("DrainSuccessful"),
        Some("ReadyForUpdate"),
        Some("UpdateSuccessful"),
        Some("UpdateFailed"),
    ]);
    let result = select(vec![None, Some("successful"), Some("failed")]);
    let wish = select(vec![None, Some("now"), Some("when-failed"), Some("odd"), Some("false")]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (sick, update, result, wish, flags).prop_map(
        |(sick, update, result, wish, (candidate, selected, cordoned, critical, held))| {
            let mut node = ready("m");
            if !held {
                node.metadata.finalizers = None;
            }
            if let Some((type_, status)) = sick {
                node.status.conditions.retain(|known| known.type_ != type_);
                let since = time(0);
                node.status
                    .conditions
                    .push(NodeCondition { last_transition_time: since, ..condition(type_, status) });
            }
            if let Some(reason) = update {
                let progress = NodeCondition {
                    reason: reason.into(),
                    last_transition_time: time(NOW - 100),
                    ..condition("InPlaceUpdate", "True")
                };
                node.status.conditions.push(progress);
            }
            let all = node.metadata.labels.get_or_insert_default();
            for (key, value) in [
                (labels::CANDIDATE_FOR_UPDATE, candidate.then_some("true")),
                (labels::SELECTED_FOR_UPDATE, selected.then_some("true")),
                (labels::UPDATE_RESULT, result),
            ] {
                all.extend(value.map(|value| (key.to_owned(), value.to_owned())));
            }
            node.metadata.annotations = wish.map(|wish| [(PRESERVE.to_owned(), wish.to_owned())].into());
            node.spec.unschedulable = cordoned;
            if critical {
                node.spec.taints.push(taint(taints::CRITICAL_COMPONENTS_NOT_READY, ""));
            }
            node
        },
    )
}

/// How the world answers what is asked of it.
#[derive(Clone, Copy, Debug)]
struct World {
    pods: usize,
    cloud_works: bool,
    initialized: bool,
    /// The cloud accepts first, and tells at the next question how it ended.
    accepts: bool,
}

fn situation() -> impl Strategy<Value = (Situation, World)> {
    let world = (0_usize..3, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(pods, cloud_works, initialized, accepts)| World { pods, cloud_works, initialized, accepts },
    );
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (machine(), proptest::option::weighted(0.8, node()), flags, world).prop_map(
        |(machine, node, (blocks, waits, classless, unheld, attached), world)| {
            let mut situation = Situation { node, ..Situation::of(machine) };
            if blocks {
                let scope = MeltdownScope::Deployment;
                situation.meltdown = MeltdownGuard::Blocks { limit: 1, in_progress: 1, scope };
            }
            if waits {
                situation.drain_slot = DrainSlot::Waits { limit: 1 };
            }
            if classless {
                situation.class = None;
            } else if unheld {
                situation.class.as_mut().unwrap().metadata.finalizers = None;
            }
            if attached {
                let mut attachment = VolumeAttachmentView::default();
                attachment.metadata.name = Some("a".into());
                attachment.spec.node_name = "m".into();
                situation.attachments.push(Arc::new(attachment));
            }
            (situation, world)
        },
    )
}

/// Carries a plan out, and answers as this world does.
fn obey(situation: &mut Situation, plan: &MachinePlan, world: World, seconds: i64) {
    situation.obey(plan);
    for action in &plan.actions {
        let failed = |situation: &mut Situation, operation| {
            situation.failed_with_state(operation, MachineCode::Internal, "", seconds);
        };
        let done = if world.initialized {
            Initialization::Done
        } else {
            Initialization::Missing { reason: "x".into() }
        };
        let state = || "op".to_owned();
        match action {
            MachineAction::CreateVm if world.accepts && situation.memory.state.as_deref() != Some("op") => {
                let ask_at = at(seconds);
                situation.memory.answered(VmKnowledge::Creating {
                    provider_id: None,
                    state: state(),
                    ask_at,
                });
            }
            MachineAction::DeleteVm if world.accepts && situation.memory.state.as_deref() != Some("op") => {
                situation.memory.answered(VmKnowledge::Deleting { state: state(), ask_at: at(seconds) });
            }
            MachineAction::CreateVm if world.cloud_works => {
                situation.memory.answered(VmKnowledge::Present(vm("m", done)));
            }
            MachineAction::CreateVm => failed(situation, CloudOperation::Create),
            MachineAction::InitializeVm => failed(situation, CloudOperation::Initialize),
            MachineAction::DeleteVm if world.cloud_works => situation.memory.answered(VmKnowledge::Gone),
            MachineAction::DeleteVm => failed(situation, CloudOperation::Delete),
            MachineAction::DeleteMachine => situation.machine.metadata.deletion_timestamp = time(seconds),
            MachineAction::DeleteNode { .. } => situation.node = None,
            MachineAction::DeleteBootstrapToken => {
                situation.memory.bootstrap_token = millwright_decide::machine::BootstrapToken::Deleted;
            }
            MachineAction::ListPods { .. } => {
                let pods: Vec<PodOnNode> =
                    (0..world.pods).map(|number| pod(&format!("web-{number}"))).collect();
                situation.memory.drain.listed(PodListing { at: at(seconds), pods });
            }
            MachineAction::EvictPod(pod) => {
                let budget = "default/web".to_owned();
                situation.memory.drain.tried(&pod.uid, at(seconds), EvictionOutcome::Blocked { budget });
            }
            MachineAction::DeletePod(pod) => {
                situation.memory.drain.deleted(&pod.uid, at(seconds), EvictionOutcome::Accepted);
            }
            MachineAction::PatchNode(patch) if patch.cordon.is_some() => {
                situation.memory.drain.cordoned(at(seconds))
            }
            _ => {}
        }
    }
    if let Some(node) = &situation.node {
        let (settings, trusted) = (&situation.settings, situation.trusted_since);
        situation.memory.drain.saw(node, &situation.attachments, settings, trusted, at(seconds));
    }
}

fn writes(plan: &MachinePlan) -> usize {
    let is_write =
        |name: &&&str| name.starts_with("Patch") || name.starts_with("Report") || name.starts_with("Delete");
    names(plan).iter().filter(is_write).count()
}

fn is_gone(situation: &Situation) -> bool {
    let kept = situation.machine.metadata.finalizers.iter().flatten().any(|name| name == finalizers::MACHINE);
    situation.machine.metadata.deletion_timestamp.is_some() && !kept
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_machine_comes_to_rest((mut situation, world) in situation()) {
        for _ in 0..25 {
            let plan = situation.plan(NOW);
            obey(&mut situation, &plan, world, NOW);
        }
        let plan = situation.plan(NOW);
        prop_assert!(is_gone(&situation) || plan.actions.is_empty(), "{plan:#?}\n{:#?}", situation.machine.status);
        // An API server is in doubt, and every second somebody looks.
        let mut written = 0;
        for second in 1..=40 {
            situation.trusted_since = at(NOW + second);
            let plan = situation.plan(NOW + second);
            written += writes(&plan);
            obey(&mut situation, &plan, world, NOW + second);
        }
        prop_assert!(is_gone(&situation) || written <= 16, "{written} writes: {:#?}\n{:#?}", situation.plan(NOW + 41), situation.machine.status);
    }
}
