//! What an API server would make of a deployment's actions.

use super::*;

impl World {
    pub(in crate::machine_deployment_in_place) fn carry_out(&mut self, action: DeploymentAction) {
        match action {
            DeploymentAction::PatchDeployment(patch) => {
                change(self.deployment.metadata.annotations.get_or_insert_default(), patch.annotations);
                change(self.deployment.metadata.labels.get_or_insert_default(), patch.labels);
            }
            DeploymentAction::PatchMachine(marks) => {
                let machine = &mut self.body(&marks.name).machine;
                change(machine.metadata.labels.get_or_insert_default(), marks.labels);
                change(machine.metadata.annotations.get_or_insert_default(), marks.annotations);
            }
            DeploymentAction::MoveMachine(moved) => {
                let set = self.sets.iter().find(|set| set.name() == moved.to).unwrap().clone();
                let machine = &mut self.body(&moved.name).machine;
                assert_eq!(owner(machine), moved.from);
                machine.metadata.owner_references = Some(vec![controller_reference(&set)]);
                change(machine.metadata.labels.get_or_insert_default(), moved.labels);
            }
            DeploymentAction::PatchNode { machine, patch } => {
                let plan = MachinePlan::steps([MachineAction::PatchNode(patch)]);
                self.body(&machine).obey(&plan);
            }
            DeploymentAction::CreateSet(set) => {
                let mut set = *set;
                set.metadata.uid = Some(format!("uid-{}", set.name()));
                set.metadata.creation_timestamp = time(self.now);
                self.sets.push(set);
            }
            DeploymentAction::PatchSet(patch) => {
                let set = self.sets.iter_mut().find(|set| set.name() == patch.name).unwrap();
                if let Some((from, to)) = patch.replicas {
                    assert_eq!(set.spec.replicas, from);
                    set.spec.replicas = to;
                }
                change(set.metadata.labels.get_or_insert_default(), patch.labels);
                let annotations = set.metadata.annotations.get_or_insert_default();
                annotations.extend(patch.annotations);
                annotations.retain(|key, _| !patch.dropped_annotations.contains(key));
                if let Some(template) = patch.template {
                    set.spec.template = *template;
                }
                if let Some(selector) = patch.selector {
                    set.spec.selector = Some(selector);
                }
            }
            DeploymentAction::PatchStatus(status) => self.deployment.status = *status,
            other => panic!("nobody gave a reason for {other:?}"),
        }
    }
}

pub(super) fn change(map: &mut BTreeMap<String, String>, changes: BTreeMap<String, Option<String>>) {
    for (key, value) in changes {
        match value {
            Some(value) => map.insert(key, value),
            None => map.remove(&key),
        };
    }
}
