//! What is seen of a world: who is where, and whether a rollout is done.

use super::*;

impl World {
    /// The set of a class.
    pub(in crate::machine_deployment_in_place) fn set(&self, class: &str) -> &MachineSet {
        self.sets.iter().find(|set| set.spec.template.spec.class.name == class).unwrap()
    }

    /// Names of the machines of the set of a class.
    pub(in crate::machine_deployment_in_place) fn of(&self, class: &str) -> Vec<&str> {
        let set = self.set(class);
        self.bodies_of(set)
            .filter(|body| !body.machine.is_deleting())
            .map(|body| body.machine.name())
            .collect()
    }

    /// How many machines the set of a class has, if there is such a set.
    pub(in crate::machine_deployment_in_place) fn count_of(&self, class: &str) -> usize {
        let set = self.sets.iter().find(|set| set.spec.template.spec.class.name == class);
        set.map_or(0, |set| self.bodies_of(set).count())
    }

    /// How many machines are updated to that class, or being updated.
    pub(in crate::machine_deployment_in_place) fn begun(&self, class: &str) -> usize {
        let set = self.sets.iter().find(|set| set.spec.template.spec.class.name == class);
        let is_there = |body: &&Situation| set.is_some_and(|set| owner(&body.machine) == set.uid());
        let is_selected = |body: &&Situation| {
            body.node.as_ref().is_some_and(|node| node.label(labels::SELECTED_FOR_UPDATE).is_some())
        };
        self.bodies.iter().filter(|body| is_there(body) || is_selected(body)).count()
    }

    pub(in crate::machine_deployment_in_place) fn phase(&self, name: &str) -> MachinePhase {
        let body = self.bodies.iter().find(|body| body.machine.name() == name).unwrap();
        body.machine.status.current_status.phase.clone()
    }

    /// Names of machines whose nodes carry a label.
    pub(in crate::machine_deployment_in_place) fn with_label(&self, label: &str) -> Vec<&str> {
        self.bodies
            .iter()
            .filter(|body| body.node.as_ref().is_some_and(|node| node.label(label).is_some()))
            .map(|body| body.machine.name())
            .collect()
    }

    /// All machines belong to that class and nothing of an update is left anywhere.
    pub(in crate::machine_deployment_in_place) fn must_be_done(&self, class: &str) {
        let replicas = self.deployment.spec.replicas;
        let set = self.set(class);
        assert_eq!(i32::try_from(self.of(class).len()).unwrap(), replicas, "{}", self.picture());
        assert_eq!(i32::try_from(self.bodies.len()).unwrap(), replicas, "{}", self.picture());
        assert_eq!(set.spec.replicas, replicas);
        assert_eq!(set.label(labels::SCALE_UP_DISABLED), None);
        for other in self.sets.iter().filter(|other| other.name() != set.name()) {
            assert_eq!(other.spec.replicas, 0, "{}", self.picture());
        }
        for body in &self.bodies {
            let node = body.node.as_ref().unwrap();
            assert_eq!(body.machine.label(labels::UPDATE_RESULT), None);
            assert_eq!(body.machine.status.current_status.phase, MachinePhase::Running);
            for key in [labels::CANDIDATE_FOR_UPDATE, labels::SELECTED_FOR_UPDATE, labels::UPDATE_RESULT] {
                assert_eq!(node.label(key), None, "{key} on {}", node.name());
            }
            for key in [
                annotations::UPDATE_TARGET,
                annotations::SCALE_DOWN_DISABLED,
                annotations::SCALE_DOWN_DISABLED_BY_US,
            ] {
                assert_eq!(node.annotation(key), None, "{key} on {}", node.name());
            }
            assert_eq!(node.spec.taints, [], "{}", node.name());
            assert!(!node.spec.unschedulable, "{} takes no pods", node.name());
        }
        let progressing = self
            .deployment
            .status
            .conditions
            .iter()
            .find(|condition| condition.type_ == "Progressing")
            .unwrap();
        assert_eq!(progressing.reason, "NewMachineSetAvailable");
    }

    pub(in crate::machine_deployment_in_place) fn picture(&self) -> String {
        let sets = self
            .sets
            .iter()
            .map(|set| format!("{} wants {} ({:?})\n", set.name(), set.spec.replicas, set.metadata.labels));
        let bodies = self.bodies.iter().map(|body| {
            let node = body.node.as_ref();
            format!(
                "{} of {} {} {} node {:?} {:?} {:?}\n",
                body.machine.name(),
                owner(&body.machine),
                body.machine.status.current_status.phase,
                if body.machine.is_deleting() { "leaving" } else { "" },
                node.map(reason),
                node.and_then(|node| node.metadata.labels.clone()),
                node.and_then(|node| node.metadata.annotations.clone()),
            )
        });
        format!("\n{}{}", sets.collect::<String>(), bodies.collect::<String>())
    }
}
