//! What an update in place writes on a node: that it is a candidate and for what, that it is next, and nothing any more
//! when all is done.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::annotations::{UPDATE_FAILED_REASON, UPDATE_TARGET};
use millwright_api::keys::{labels, taints};
use millwright_api::{Machine, NodeView, ObjectView};

use super::Place;
use super::member::{Update, is_candidate, leads_elsewhere};
use crate::deployment::standing::Standing;
use crate::machine::{Cordon, NodePatch};

/// Labels that stand for one update.
const LABELS: [&str; 3] = [labels::CANDIDATE_FOR_UPDATE, labels::SELECTED_FOR_UPDATE, labels::UPDATE_RESULT];

/// Adds what must change on the node of a member.
pub(in crate::deployment) fn change(
    patch: &mut NodePatch,
    machine: &Machine,
    node: &NodeView,
    place: Place,
    newest: &str,
    standing: Standing,
) {
    let elsewhere = leads_elsewhere(node, newest);
    match (Update::of(machine, node), place, standing) {
        // What it was updated to is not wanted any more.
        (Update::Done, _, _) if elsewhere => begin_anew(patch, node, newest),
        (Update::Done, Place::Newest, _) => take_over(patch, node),
        (Update::NotBegun, Place::Newest, Standing::Going) if !leads_here(node, newest) => {
            drop_all(patch, node);
        }
        (Update::NotBegun, Place::Old, Standing::Going) => be_candidate(patch, node, newest),
        // One that is done in an old set goes to the newest first.
        (Update::Done | Update::NotBegun | Update::Begun, Place::Newest | Place::Old, _) => {}
    }
}

/// The same for a node of the newest set when its strategy is another one now.
pub(in crate::deployment) fn let_go(patch: &mut NodePatch, machine: &Machine, node: &NodeView) {
    if node.annotation(UPDATE_TARGET).is_none() {
        return;
    }
    match Update::of(machine, node) {
        Update::Done => take_over(patch, node),
        Update::NotBegun => drop_all(patch, node),
        Update::Begun => {}
    }
}

/// Makes the node the next to be drained and updated.
pub(in crate::deployment) fn select(patch: &mut NodePatch) {
    patch.labels.insert(labels::SELECTED_FOR_UPDATE.to_owned(), Some("true".to_owned()));
}

/// It is of the newest set and still to be updated to it.
fn leads_here(node: &NodeView, newest: &str) -> bool {
    is_candidate(node) && node.annotation(UPDATE_TARGET) == Some(newest)
}

fn be_candidate(patch: &mut NodePatch, node: &NodeView, newest: &str) {
    if node.label(labels::CANDIDATE_FOR_UPDATE) != Some("true") {
        patch.labels.insert(labels::CANDIDATE_FOR_UPDATE.to_owned(), Some("true".to_owned()));
    }
    if node.annotation(UPDATE_TARGET) != Some(newest) {
        patch.annotations.insert(UPDATE_TARGET.to_owned(), Some(newest.to_owned()));
    }
}

/// A report that is left on a candidate would be taken for one about its next update.
fn begin_anew(patch: &mut NodePatch, node: &NodeView, newest: &str) {
    remove(&mut patch.labels, &LABELS[1..], |key| node.label(key).is_some());
    remove(&mut patch.annotations, &[UPDATE_FAILED_REASON], |key| node.annotation(key).is_some());
    be_candidate(patch, node, newest);
    uncordon(patch, node);
}

fn drop_all(patch: &mut NodePatch, node: &NodeView) {
    remove(&mut patch.labels, &LABELS, |key| node.label(key).is_some());
    remove(&mut patch.annotations, &[UPDATE_TARGET, UPDATE_FAILED_REASON], |key| {
        node.annotation(key).is_some()
    });
}

/// It takes pods again, but for ordinary ones only when its critical components run: their controller removes that taint.
fn take_over(patch: &mut NodePatch, node: &NodeView) {
    drop_all(patch, node);
    uncordon(patch, node);
    let list = patch.taints_of(node);
    list.retain(|taint| taint.key != taints::PREFER_NO_SCHEDULE);
    if !list.iter().any(|taint| taint.key == taints::CRITICAL_COMPONENTS_NOT_READY) {
        list.push(Taint {
            key: taints::CRITICAL_COMPONENTS_NOT_READY.to_owned(),
            effect: "NoSchedule".to_owned(),
            ..Taint::default()
        });
    }
}

fn uncordon(patch: &mut NodePatch, node: &NodeView) {
    if node.spec.unschedulable {
        patch.cordon = Some(Cordon::Off);
    }
}

fn remove(changes: &mut BTreeMap<String, Option<String>>, keys: &[&str], is_there: impl Fn(&str) -> bool) {
    changes.extend(keys.iter().filter(|key| is_there(key)).map(|key| ((*key).to_owned(), None)));
}
