//! One machine: look, decide, execute.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use millwright_api::keys::labels;
use millwright_api::{ClassRecord, Machine, MachineClass, NodeView, ObjectView};
use millwright_decide::Requeue;
use millwright_decide::machine::{
    self, ClassKnowledge, MachineMemory, MachinePlan, MachineView, VmClass, VmKnowledge,
};

use super::{deletion_steps, drains, meltdown};
use crate::Fleet;
use crate::execute;
use crate::fleet::{LEASE_PAUSE, Memories};
use crate::index::Index;

pub(crate) async fn reconcile(fleet: Arc<Fleet>, name: String) {
    if let Some(wait) = held(&fleet, &name) {
        fleet.parts.queues.machines.add_after(name, wait);
        return;
    }
    let Some((machine, plan)) = decide(&fleet, &name) else { return };
    let mut courtesy_wait = None;
    let mut pods_asked = 0;
    for action in &plan.actions {
        // One request after the other would take as long as all of them together.
        if action.pod().is_some() {
            pods_asked += 1;
            if pods_asked == 1 {
                drains::ask_pods(&fleet, &machine, &plan.actions).await;
            }
            continue;
        }
        if !fleet.may_write() {
            fleet.parts.queues.machines.add_after(name, LEASE_PAUSE);
            meltdown::settle(&fleet, &machine, None);
            return;
        }
        // The rest was decided on what can be trusted no more. The thaw wakes everybody.
        if fleet.trust().freeze.is_frozen() {
            meltdown::settle(&fleet, &machine, None);
            return;
        }
        fleet.parts.metrics.action(action.name());
        tracing::debug!(action = action.name());
        if let Err(error) = execute::machine(&fleet, &machine, action).await {
            let wait = fleet.memories.lock().request_failed(machine.uid());
            if error.is_worth_a_line() {
                tracing::warn!(action = action.name(), %error, retry_in = ?wait, "a step for a machine failed");
            }
            deletion_steps::failed(&fleet, &machine, action, &error);
            if deletion_steps::is_courtesy(&machine, action) {
                courtesy_wait = Some(wait);
                continue;
            }
            meltdown::settle(&fleet, &machine, Some(&error));
            let now = fleet.now();
            fleet.memories.lock().hold(&*machine, now.checked_add(wait).unwrap_or(now));
            fleet.parts.queues.machines.add_after(name, wait);
            return;
        }
        deletion_steps::done(&fleet, &machine, action);
    }
    meltdown::settle(&fleet, &machine, None);
    match courtesy_wait {
        Some(wait) => fleet.parts.queues.machines.add_after(name.clone(), wait),
        None => fleet.memories.lock().request_succeeded(machine.uid()),
    }
    if let Requeue::After(wait) = plan.requeue {
        fleet.parts.queues.machines.add_after(name, wait);
    }
}

/// How long the machine is left alone because a step of it has just failed.
fn held(fleet: &Fleet, name: &str) -> Option<Duration> {
    let index = fleet.index.lock();
    let machine = index.machine(name)?;
    fleet.memories.lock().held(&**machine, fleet.now())
}

fn decide(fleet: &Fleet, name: &str) -> Option<(Arc<Machine>, MachinePlan)> {
    let mut index = fleet.index.lock();
    let mut memories = fleet.memories.lock();
    let Some(machine) = index.machine(name).cloned() else {
        drains::forget(fleet, &mut index, &mut memories, name);
        return None;
    };
    let settings = fleet.parts.settings.for_machine(&machine);
    drains::look(fleet, &mut index, &mut memories, &machine, &settings);
    let index = index;
    let class = index.class(&machine.spec.class.name);
    let recorded = recorded(&memories, &machine);
    // A VM belongs to whoever serves the cloud that it was asked of, whatever its class says since.
    let maker = recorded.as_ref().map(|record| &record.provider).or(class.map(|class| &class.provider));
    if maker.is_some_and(|provider| fleet.is_foreign_provider(provider)) {
        return None;
    }
    let vm_class = vm_class(fleet, &machine, class.map(|class| &**class), recorded.as_ref());
    let asked_of = match (vm_class, &recorded) {
        (VmClass::Recorded, Some(record)) => {
            Some(Arc::new(record.to_class(&machine.spec.class.name, machine.namespace())))
        }
        _ => class.cloned(),
    };
    let is_unborn = machine.spec.provider_id.is_empty();
    let unheld_secret = asked_of.as_ref().filter(|_| is_unborn).and_then(|class| index.unheld_secret(class));
    let guard = meltdown::ask(fleet, &index, &mut memories, &machine);
    let fresh = MachineMemory::default();
    let memory = memories.machines.get(machine.uid()).unwrap_or(&fresh);
    let attachments = index.attachments_of(&machine, &memory.drain);
    let trust = fleet.trust();
    let view = MachineView {
        machine: &machine,
        class: class.map_or(ClassKnowledge::Missing, |class| ClassKnowledge::Known(class)),
        unheld_secret,
        vm_class,
        node: index.node_of(&machine).map(|node| &**node),
        namesake_node: namesake_node(&index, &machine, memory),
        attachments: &attachments,
        drain_slot: memories.drain_slots.ask(name, fleet.parts.max_concurrent_drains),
        memory,
        meltdown: guard,
        settings: &settings,
        freeze: trust.freeze,
        trusted_since: trust.since,
        blind_since_deletion: machine.deleted_at().map(|at| fleet.blind_time(at)).unwrap_or_default(),
        jitter: jitter(&machine),
    };
    let plan = machine::plan(&view, fleet.now());
    meltdown::note(fleet, &index, &mut memories, &machine, plan.meltdown);
    drains::settle(fleet, &mut memories, &machine, &plan);
    Some((machine.clone(), plan))
}

/// What a machine's VM was asked for with, as far as is known.
fn recorded(memories: &Memories, machine: &Machine) -> Option<ClassRecord> {
    let memory = memories.machines.get(machine.uid());
    memory.and_then(|memory| memory.asked_with.clone()).or_else(|| ClassRecord::on(machine))
}

/// Asked of births and deaths only: there it decides about what comes next, or is said.
fn vm_class(
    fleet: &Fleet,
    machine: &Machine,
    class: Option<&MachineClass>,
    recorded: Option<&ClassRecord>,
) -> VmClass {
    let is_asked = machine.spec.provider_id.is_empty() || machine.is_deleting();
    let record = recorded.filter(|_| is_asked && class.is_some());
    match record {
        Some(record) if execute::goes_by_record(&fleet.parts.providers, class, record, machine) => {
            VmClass::Recorded
        }
        _ => VmClass::Current,
    }
}

/// A node of the name that the machine's is to have, and which is not the machine's own.
fn namesake_node<'a>(index: &'a Index, machine: &Machine, memory: &MachineMemory) -> Option<&'a NodeView> {
    let name = match &memory.vm {
        VmKnowledge::Present(instance) => &instance.node_name,
        _ => machine.label(labels::NODE)?,
    };
    let own = index.node_of(machine).map(|node| node.uid());
    index.node(name).map(|node| &**node).filter(|node| Some(node.uid()) != own)
}

/// The same for a machine each time, so that a wait does not change while it runs.
fn jitter(machine: &Machine) -> f64 {
    let mut hasher = DefaultHasher::new();
    machine.uid().hash(&mut hasher);
    f64::from(u16::try_from(hasher.finish() & 0xffff).unwrap_or(0)) / f64::from(u16::MAX)
}
