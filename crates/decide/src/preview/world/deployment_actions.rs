//! Carries out what a deployment decided.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{MachineSet, ObjectView, controller_of, controller_reference};

use super::object_changes::merge;
use super::{Outcome, World};
use crate::deployment::{
    DeploymentAction, DeploymentPatch, MachineMarks, MachineMove, RollbackRequest, SetPatch, rolls_nothing,
};
use crate::machine::{Cordon, NodePatch};

impl World {
    /// Carries out one action of the deployment.
    pub fn do_for_deployment(&mut self, action: &DeploymentAction, now: Timestamp) -> Outcome {
        match action {
            DeploymentAction::SetFinalizers(list) => {
                Arc::make_mut(&mut self.deployment).metadata.finalizers = Some(list.clone());
            }
            DeploymentAction::PatchDeployment(patch) => self.patch_deployment(patch),
            DeploymentAction::CreateSet(set) => return self.create_set(set, now),
            DeploymentAction::AdoptSet { name } => {
                let owner = controller_reference(&*self.deployment);
                if let Some(set) = self.set_named(name) {
                    set.metadata.owner_references.get_or_insert_default().push(owner);
                }
            }
            DeploymentAction::ReleaseSet { name } => {
                let uid = self.deployment.uid().to_owned();
                if let Some(owners) =
                    self.set_named(name).and_then(|set| set.metadata.owner_references.as_mut())
                {
                    owners.retain(|owner| owner.uid != uid);
                }
            }
            DeploymentAction::PatchMachine(marks) => self.mark_machine(marks),
            DeploymentAction::MoveMachine(change) => self.move_machine(change),
            DeploymentAction::PatchNode { patch, .. } => self.patch_node(patch),
            DeploymentAction::PatchSet(patch) => self.patch_set(patch),
            DeploymentAction::DeleteSet { name, uid } => {
                if let Some(set) = self.set_named(name).filter(|set| set.uid() == uid) {
                    set.metadata.deletion_timestamp.get_or_insert(Time(now));
                }
                self.collect_sets();
            }
            DeploymentAction::PatchStatus(status) => {
                Arc::make_mut(&mut self.deployment).status = (**status).clone();
                self.memory.status_written_at = Some(now);
            }
            DeploymentAction::WarnSelectingAll | DeploymentAction::WarnStrategy { .. } => {}
        }
        Outcome::Done
    }

    fn patch_deployment(&mut self, patch: &DeploymentPatch) {
        let DeploymentPatch { labels, annotations, template, rollback, lock: _ } = patch;
        let deployment = Arc::make_mut(&mut self.deployment);
        merge(&mut deployment.metadata.labels, labels);
        merge(&mut deployment.metadata.annotations, annotations);
        if let Some(template) = template {
            deployment.spec.template = (**template).clone();
        }
        if let RollbackRequest::Done(_) = rollback {
            deployment.spec.rollback_to = None;
        }
    }

    /// A set of ours with the same template is that set; any other of that name is in the way.
    fn create_set(&mut self, set: &MachineSet, now: Timestamp) -> Outcome {
        if let Some(found) = self.sets.iter().find(|found| found.name() == set.name()) {
            let is_ours = controller_of(&found.metadata)
                .is_some_and(|owner| owner.uid == self.deployment.uid())
                && rolls_nothing(&found.spec.template, &set.spec.template);
            self.memory.name_taken = (!is_ours).then(|| set.name().to_owned());
            return if is_ours { Outcome::Done } else { Outcome::Refused };
        }
        self.memory.name_taken = None;
        self.memory.create_failure = None;
        let mut made = set.clone();
        made.metadata.uid = Some(format!("uid-{}", set.name()));
        made.metadata.creation_timestamp = Some(Time(now));
        made.metadata.generation = Some(1);
        self.sets.push(Arc::new(made));
        Outcome::Done
    }

    fn patch_set(&mut self, patch: &SetPatch) {
        let SetPatch {
            name,
            replicas,
            labels,
            annotations,
            dropped_annotations,
            selector,
            template,
            min_ready_seconds,
            auto_preserve_failed_machine_max,
        } = patch;
        let Some(set) = self.set_named(name) else { return };
        merge(&mut set.metadata.labels, labels);
        if !annotations.is_empty() {
            set.metadata.annotations.get_or_insert_default().extend(annotations.clone());
        }
        if let Some(given) = &mut set.metadata.annotations {
            given.retain(|key, _| !dropped_annotations.contains(key));
        }
        if let Some((_, replicas)) = replicas {
            set.spec.replicas = *replicas;
        }
        if let Some(selector) = selector {
            set.spec.selector = Some(selector.clone());
        }
        if let Some(template) = template {
            set.spec.template = (**template).clone();
        }
        if let Some(seconds) = min_ready_seconds {
            set.spec.min_ready_seconds = *seconds;
        }
        if let Some(most) = auto_preserve_failed_machine_max {
            set.spec.auto_preserve_failed_machine_max = *most;
        }
    }

    fn mark_machine(&mut self, marks: &MachineMarks) {
        let MachineMarks { name, uid, labels, annotations } = marks;
        if let Some(machine) = self.machine_mut(name, Some(uid)) {
            merge(&mut machine.metadata.labels, labels);
            merge(&mut machine.metadata.annotations, annotations);
        }
    }

    fn move_machine(&mut self, change: &MachineMove) {
        let MachineMove { name, uid, from, to, labels } = change;
        let Some(owner) =
            self.sets.iter().find(|set| set.name() == to).map(|set| controller_reference(&**set))
        else {
            return;
        };
        let Some(machine) = self.machine_mut(name, Some(uid)) else { return };
        merge(&mut machine.metadata.labels, labels);
        let owners = machine.metadata.owner_references.get_or_insert_default();
        owners.retain(|owner| owner.uid != *from);
        owners.push(owner);
    }

    fn patch_node(&mut self, patch: &NodePatch) {
        let NodePatch { name, labels, annotations, taints, finalizers, cordon } = patch;
        let Some(node) = self.nodes.get_mut(name).map(Arc::make_mut) else { return };
        merge(&mut node.metadata.labels, labels);
        merge(&mut node.metadata.annotations, annotations);
        if let Some(taints) = taints {
            node.spec.taints.clone_from(taints);
        }
        if let Some(finalizers) = finalizers {
            node.metadata.finalizers = Some(finalizers.clone());
        }
        if let Some(cordon) = cordon {
            node.spec.unschedulable = *cordon == Cordon::On;
        }
    }
}
