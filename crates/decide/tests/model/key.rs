//! What tells two states apart. Names of machines do not: two states that differ in them alone are one.
//!
//! What no decision reads is left out: statuses but for the collision count and conditions of type Frozen.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use millwright_api::keys::annotations::TRIGGER_DELETION;
use millwright_api::keys::labels;
use millwright_api::{Machine, MachineDeployment, MachineSet, NodeView, ObjectView, controller_of};
use millwright_decide::preview::World;

use crate::scope::Scope;
use crate::state::State;

/// The key of a state.
pub(crate) fn key(state: &State, scope: &Scope) -> u64 {
    let mut text = String::with_capacity(1024);
    let (real, seen) = (&state.stage.real, &state.stage.seen);
    deployment(&mut text, &real.deployment);
    if scope.reads_status() {
        let status = &real.deployment.status;
        let _ =
            write!(text, "{},{},{}", status.observed_generation, status.replicas, status.updated_replicas);
    }
    if !std::sync::Arc::ptr_eq(&real.deployment, &seen.deployment) {
        deployment(&mut text, &seen.deployment);
    }
    for each in &real.sets {
        set(&mut text, each, scope);
    }
    let mut machines: Vec<String> =
        state.stage.machines().iter().map(|name| machine_key(state, name)).collect();
    machines.sort_unstable();
    for machine in machines {
        text.push_str(&machine);
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    (state.changes_left, state.failures_left, state.failed, &state.allowed).hash(&mut hasher);
    seen.memory.name_taken.hash(&mut hasher);
    if !state.pending.is_empty() {
        format!("{:?}", state.pending).hash(&mut hasher);
    }
    hasher.finish()
}

/// What tells a machine from others, as it is and as it is seen.
pub(crate) fn machine_key(state: &State, name: &str) -> String {
    let mut text = String::with_capacity(96);
    let worlds = [&state.stage.real, &state.stage.seen];
    let same = match worlds.map(|world| world.machines.get(name)) {
        [Some(a), Some(b)] => std::sync::Arc::ptr_eq(a, b),
        _ => false,
    };
    for world in &worlds[..if same { 1 } else { 2 }] {
        text.push('|');
        side(&mut text, world, name);
    }
    let chosen = state.chosen.contains(name);
    let named = worlds
        .map(|world| world.deployment.annotation(TRIGGER_DELETION).is_some_and(|list| list.contains(name)));
    let _ = write!(text, "{}{}{};", u8::from(chosen), u8::from(named[0]), u8::from(named[1]));
    text
}

fn side(text: &mut String, world: &World, name: &str) {
    let Some(machine) = world.machines.get(name) else {
        text.push('-');
        return;
    };
    let Machine { metadata, spec, status, .. } = &**machine;
    let owner = controller_of(metadata).map_or("", |owner| owner.uid.as_str());
    let _ = write!(
        text,
        "{owner},{},{},{}",
        spec.class.name,
        status.current_status.phase.as_str(),
        u8::from(machine.is_deleting())
    );
    meta(text, metadata, &[labels::NODE]);
    if let Some(node) = world.node_of(machine) {
        let NodeView { metadata, spec, .. } = node;
        meta(text, metadata, &[labels::MACHINE_NAME]);
        for taint in &spec.taints {
            text.push_str(&taint.key);
        }
        text.push(if spec.unschedulable { 'c' } else { ' ' });
    }
}

fn deployment(text: &mut String, deployment: &MachineDeployment) {
    let spec = &deployment.spec;
    let _ = write!(
        text,
        "D{},{},{},{:?},{:?},{};",
        spec.replicas,
        spec.template.spec.class.name,
        spec.paused,
        spec.rollback_to,
        deployment.status.collision_count,
        deployment.resource_version()
    );
    meta(text, &deployment.metadata, &[TRIGGER_DELETION]);
}

fn set(text: &mut String, set: &MachineSet, scope: &Scope) {
    let spec = &set.spec;
    let _ = write!(
        text,
        "S{},{},{},{};",
        set.name(),
        spec.replicas,
        spec.template.spec.class.name,
        u8::from(set.is_deleting())
    );
    for condition in set.status.conditions.iter().filter(|condition| condition.type_ == "Frozen") {
        text.push_str(&condition.status);
    }
    if scope.reads_status() {
        let _ = write!(text, "{}", set.status.replicas);
    }
    meta(text, &set.metadata, &[]);
}

fn meta(text: &mut String, meta: &ObjectMeta, but: &[&str]) {
    for map in [&meta.labels, &meta.annotations].into_iter().flatten() {
        for (key, value) in map {
            if !but.contains(&key.as_str()) {
                text.push_str(&key[key.len().saturating_sub(12)..]);
                text.push('=');
                text.push_str(value);
            }
        }
        text.push('.');
    }
    text.push_str(if meta.finalizers.as_ref().is_some_and(|list| !list.is_empty()) { "f" } else { "-" });
}
