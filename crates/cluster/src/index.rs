//! All objects of one fleet, and the look-ups that decisions need: by owner, by node, by class, by
//! group. Fed by one watch per kind and by the answers to our own writes, so that a decision never acts on a
//! state older than what this process itself wrote.
//!
//! Holds no client and decides nothing. Each change answers which objects must be looked at again.

mod attachments;
mod class_users;
mod machines;
mod nodes;
mod secrets;
mod sets;
mod store;
mod wake;

pub use store::Change;
pub use wake::Wake;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use millwright_api::keys::{finalizers, labels};
use millwright_api::{
    Machine, MachineClass, MachineDeployment, MachineSet, NodeView, ObjectView, SecretView,
    VolumeAttachmentView,
};
use millwright_decide::machine::{GroupTally, MeltdownGroup, MeltdownScope};

use attachments::AttachmentLookups;
use class_users::NamesByClass;
use machines::MachineLookups;
use secrets::SecretLookups;
use sets::SetLookups;
use store::Store;

use crate::watch::WatchEvent;

/// The index of one fleet.
#[derive(Default)]
pub struct Index {
    classes: Store<MachineClass>,
    machines: Store<Machine>,
    sets: Store<MachineSet>,
    deployments: Store<MachineDeployment>,
    nodes: Store<NodeView>,
    attachments: Store<VolumeAttachmentView>,
    attachment_lookups: AttachmentLookups,
    machine_lookups: MachineLookups,
    secrets: Store<SecretView>,
    secret_lookups: SecretLookups,
    set_lookups: SetLookups,
    deployments_by_class: NamesByClass,
    nodes_by_machine: HashMap<String, BTreeSet<String>>,
    synced: HashSet<Kind>,
}

/// Kinds that the index holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// MachineClass
    Class,
    /// Machine
    Machine,
    /// MachineSet
    Set,
    /// MachineDeployment
    Deployment,
    /// Node
    Node,
    /// VolumeAttachment
    VolumeAttachment,
    /// Secret, without what is in it
    Secret,
}

impl Index {
    /// Whether every one of these kinds was listed once: before that, absence says nothing.
    #[must_use]
    pub fn has_synced(&self, kinds: &[Kind]) -> bool {
        kinds.iter().all(|kind| self.synced.contains(kind))
    }

    /// The machine of that name.
    #[must_use]
    pub fn machine(&self, name: &str) -> Option<&Arc<Machine>> {
        self.machines.get(name)
    }

    /// The class of that name.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<&Arc<MachineClass>> {
        self.classes.get(name)
    }

    /// The set of that name.
    #[must_use]
    pub fn set(&self, name: &str) -> Option<&Arc<MachineSet>> {
        self.sets.get(name)
    }

    /// The deployment of that name.
    #[must_use]
    pub fn deployment(&self, name: &str) -> Option<&Arc<MachineDeployment>> {
        self.deployments.get(name)
    }

    /// All classes.
    pub fn classes(&self) -> impl Iterator<Item = &Arc<MachineClass>> {
        self.classes.iter()
    }

    /// All machines.
    pub fn machines(&self) -> impl Iterator<Item = &Arc<Machine>> {
        self.machines.iter()
    }

    /// All sets.
    pub fn sets(&self) -> impl Iterator<Item = &Arc<MachineSet>> {
        self.sets.iter()
    }

    /// All deployments.
    pub fn deployments(&self) -> impl Iterator<Item = &Arc<MachineDeployment>> {
        self.deployments.iter()
    }

    /// Machines whose controller is the set of that UID, and machines that have none.
    pub fn machines_for_set(&self, uid: &str) -> impl Iterator<Item = &Arc<Machine>> {
        self.machine_lookups
            .of_set(uid)
            .chain(self.machine_lookups.unowned())
            .filter_map(|name| self.machines.get(name))
    }

    /// Machines whose controller is the set of that UID.
    pub fn machines_of_set(&self, uid: &str) -> impl Iterator<Item = &Arc<Machine>> {
        self.machine_lookups.of_set(uid).filter_map(|name| self.machines.get(name))
    }

    /// Machines that have no controller.
    pub fn machines_without_set(&self) -> impl Iterator<Item = &Arc<Machine>> {
        self.machine_lookups.unowned().filter_map(|name| self.machines.get(name))
    }

    /// How many machines name the class.
    #[must_use]
    pub fn machines_of_class(&self, class: &str) -> usize {
        self.machine_lookups.of_class(class).count()
    }

    /// Sets whose controller is the deployment of that UID, and sets that have none.
    pub fn sets_for_deployment(&self, uid: &str) -> impl Iterator<Item = &Arc<MachineSet>> {
        self.set_lookups.for_deployment(uid).filter_map(|name| self.sets.get(name))
    }

    /// The machines with which a machine shares the right to be replaced.
    #[must_use]
    pub fn meltdown_group(&self, machine: &Machine, scope: MeltdownScope) -> Option<MeltdownGroup> {
        self.machine_lookups.group_of(machine, scope)
    }

    /// What the machines of that group are doing, the machine itself left out.
    #[must_use]
    pub fn tally_beside(&self, machine: &Machine, group: &MeltdownGroup) -> GroupTally {
        self.machine_lookups.tally_beside(machine, group)
    }

    /// Whether a deployment of that name has machines.
    #[must_use]
    pub fn has_machines_of_deployment(&self, name: &str) -> bool {
        self.machine_lookups.has_group(&MeltdownGroup::Deployment(name.to_owned()))
    }

    /// Takes a machine as some API server's answer shows it.
    pub fn apply_machine(&mut self, machine: Machine) -> Wake {
        let change = self.machines.apply(machine);
        self.machine_changed(change)
    }

    /// Takes an event of the machines' watch.
    pub fn machine_event(&mut self, event: WatchEvent<Machine>) -> Wake {
        let mut wake = Wake::default();
        for change in self.machines.event(event, &mut self.synced, Kind::Machine) {
            wake.merge(self.machine_changed(change));
        }
        wake
    }

    /// Forgets a machine that an API server says is gone.
    pub fn forget_machine(&mut self, name: &str, uid: &str) -> Wake {
        let change = self.machines.forget(name, uid);
        self.machine_changed(change)
    }

    fn machine_changed(&mut self, change: Change<Machine>) -> Wake {
        let mut wake = Wake::default();
        let Some((before, after)) = change.sides() else { return wake };
        self.machine_lookups.change(before.as_deref(), after.as_deref());
        if let Some(machine) = &after {
            self.locate(machine);
        }
        for machine in before.iter().chain(&after) {
            wake.machine(machine.name());
            // Whose a node is may have changed with it.
            if let Some(node) = machine.label(labels::NODE).filter(|node| !node.is_empty()) {
                self.machine_lookups.of_node(node).for_each(|name| wake.machine(name));
            }
            self.wake_owners(machine, &mut wake);
        }
        self.record_changed(before.as_deref(), after.as_deref(), &mut wake);
        let class_of = |machine: &Option<Arc<Machine>>| machine.as_ref().map(|m| m.spec.class.name.clone());
        if class_of(&before) != class_of(&after) {
            wake.classes.extend(class_of(&before));
            wake.classes.extend(class_of(&after));
        }
        wake
    }

    /// Takes note of the zone of a machine's node, or else of its class, for machines whose own template names none.
    fn locate(&mut self, machine: &Machine) {
        let zone = self.node_of(machine).and_then(|node| node.label(labels::ZONE)).map(str::to_owned);
        if let Some(zone) = zone.filter(|zone| !zone.is_empty()) {
            return self.machine_lookups.locate(machine, &zone);
        }
        // Its node may be gone, and may have been gone before this process began.
        let class = self.classes.get(&machine.spec.class.name);
        let zone = class.and_then(|class| class.node_template.as_ref()).map(|template| template.zone.clone());
        if let Some(zone) = zone.filter(|zone| !zone.is_empty() && !self.machine_lookups.is_located(machine))
        {
            self.machine_lookups.locate(machine, &zone);
        }
    }

    fn wake_owners(&self, machine: &Machine, wake: &mut Wake) {
        match millwright_api::controller_of(&machine.metadata) {
            Some(owner) => {
                if let Some(set) = self.sets.get(&owner.name).filter(|set| set.uid() == owner.uid) {
                    wake.set(set.name());
                    self.wake_deployment_of(set, wake);
                }
            }
            None => self.sets.iter().for_each(|set| wake.set(set.name())),
        }
    }

    fn wake_deployment_of(&self, set: &MachineSet, wake: &mut Wake) {
        match millwright_api::controller_of(&set.metadata) {
            Some(owner) => wake.deployment(&owner.name),
            None => self.deployments.iter().for_each(|deployment| wake.deployment(deployment.name())),
        }
    }

    /// Takes a set as some API server's answer shows it.
    pub fn apply_set(&mut self, set: MachineSet) -> Wake {
        let change = self.sets.apply(set);
        self.set_changed(change)
    }

    /// Takes an event of the sets' watch.
    pub fn set_event(&mut self, event: WatchEvent<MachineSet>) -> Wake {
        let mut wake = Wake::default();
        for change in self.sets.event(event, &mut self.synced, Kind::Set) {
            wake.merge(self.set_changed(change));
        }
        wake
    }

    fn set_changed(&mut self, change: Change<MachineSet>) -> Wake {
        let mut wake = Wake::default();
        let Some((before, after)) = change.sides() else { return wake };
        self.set_lookups.change(before.as_deref(), after.as_deref());
        for set in before.iter().chain(&after) {
            wake.set(set.name());
            self.wake_deployment_of(set, &mut wake);
        }
        wake
    }

    /// Takes a deployment as some API server's answer shows it.
    pub fn apply_deployment(&mut self, deployment: MachineDeployment) -> Wake {
        let change = self.deployments.apply(deployment);
        self.deployment_changed(change)
    }

    /// Takes an event of the deployments' watch.
    pub fn deployment_event(&mut self, event: WatchEvent<MachineDeployment>) -> Wake {
        let mut wake = Wake::default();
        for change in self.deployments.event(event, &mut self.synced, Kind::Deployment) {
            wake.merge(self.deployment_changed(change));
        }
        wake
    }

    fn deployment_changed(&mut self, change: Change<MachineDeployment>) -> Wake {
        let mut wake = Wake::default();
        let Some((before, after)) = change.sides() else { return wake };
        fn named(deployment: &Arc<MachineDeployment>) -> (&str, &str) {
            (&deployment.spec.template.spec.class.name, deployment.name())
        }
        self.deployments_by_class.change(before.as_ref().map(named), after.as_ref().map(named));
        before.iter().chain(&after).for_each(|deployment| wake.deployment(deployment.name()));
        wake
    }

    /// Takes a class as some API server's answer shows it.
    pub fn apply_class(&mut self, class: MachineClass) -> Wake {
        let change = self.classes.apply(class);
        self.class_changed(change)
    }

    /// Takes an event of the classes' watch.
    pub fn class_event(&mut self, event: WatchEvent<MachineClass>) -> Wake {
        let mut wake = Wake::default();
        for change in self.classes.event(event, &mut self.synced, Kind::Class) {
            wake.merge(self.class_changed(change));
        }
        wake
    }

    fn class_changed(&mut self, change: Change<MachineClass>) -> Wake {
        let mut wake = Wake::default();
        let Some((before, after)) = change.sides() else { return wake };
        self.secret_lookups.change(before.as_deref(), after.as_deref());
        // Only what a machine can see wakes it: what the class says, and whether it is held and stays.
        let says_the_same = matches!((&before, &after), (Some(a), Some(b)) if a.provider_spec == b.provider_spec
            && a.provider == b.provider && a.secret_ref == b.secret_ref
            && a.credentials_secret_ref == b.credentials_secret_ref && a.node_template == b.node_template);
        let hold = |class: &MachineClass| (class.has_finalizer(finalizers::MACHINE), class.is_deleting());
        let is_held_the_same = before.as_deref().map(hold) == after.as_deref().map(hold);
        // A deployment says what its nodes will offer.
        let offer = |class: &MachineClass| class.node_template.clone();
        let offers_the_same = before.as_deref().map(offer) == after.as_deref().map(offer);
        if let Some(class) = after.as_ref().filter(|_| !offers_the_same) {
            let machines: Vec<_> = self.machines_naming_class(class.name()).cloned().collect();
            machines.iter().for_each(|machine| self.locate(machine));
        }
        for class in before.iter().chain(&after) {
            wake.classes.insert(class.name().to_owned());
            wake.secrets.extend(secrets::named_by_class(class).map(str::to_owned));
            if !says_the_same {
                self.wake_secrets_of_records(class.name(), &mut wake);
            }
            if !offers_the_same {
                self.deployments_by_class.of(class.name()).for_each(|name| wake.deployment(name));
            }
            for machine in self.machine_lookups.of_class(class.name()) {
                if !says_the_same {
                    wake.class_changed(machine);
                } else if !is_held_the_same {
                    wake.machine(machine);
                }
            }
        }
        wake
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
    use millwright_api::{
        MachineDeploymentSpec, MachinePhase, MachineSetSpec, MachineSpec, controller_reference,
    };

    fn meta(name: &str, version: &str) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.into()),
            uid: Some(format!("uid-{name}")),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        }
    }

    fn set(name: &str, owner: &MachineDeployment) -> MachineSet {
        let mut set = MachineSet::new(meta(name, "1"), MachineSetSpec::default());
        set.metadata.owner_references = Some(vec![controller_reference(owner)]);
        set
    }

    fn machine(name: &str, version: &str, owner: Option<&MachineSet>) -> Machine {
        let mut machine = Machine::new(meta(name, version), MachineSpec::default());
        machine.metadata.owner_references = owner.map(|owner| vec![controller_reference(owner)]);
        machine.metadata.labels = Some(
            [(labels::NODE.to_owned(), format!("node-{name}")), ("name".to_owned(), "pool".to_owned())]
                .into(),
        );
        machine.spec.class.name = "class".into();
        machine
    }

    fn fleet() -> (Index, MachineSet) {
        let mut index = Index::default();
        let deployment = MachineDeployment::new(meta("d", "1"), MachineDeploymentSpec::default());
        let owned = set("s", &deployment);
        index.apply_deployment(deployment);
        index.apply_set(owned.clone());
        (index, owned)
    }

    fn names(set: &std::collections::BTreeSet<String>) -> Vec<&str> {
        set.iter().map(String::as_str).collect()
    }

    #[test]
    fn a_machine_wakes_itself_its_set_and_its_deployment() {
        let (mut index, owner) = fleet();
        let wake = index.apply_machine(machine("m", "5", Some(&owner)));
        assert_eq!(
            (names(&wake.machines), names(&wake.sets), names(&wake.deployments)),
            (vec!["m"], vec!["s"], vec!["d"])
        );
        assert_eq!(index.machines_of_set("uid-s").count(), 1);
        let again = index.apply_machine(machine("m", "5", Some(&owner)));
        assert_eq!(again, Wake::default());
    }

    #[test]
    fn a_machine_without_owner_wakes_every_set_and_is_offered_to_each() {
        let (mut index, _) = fleet();
        let wake = index.apply_machine(machine("m", "5", None));
        assert_eq!(names(&wake.sets), ["s"]);
        assert_eq!(index.machines_for_set("uid-s").count(), 1);
        assert_eq!(index.machines_of_set("uid-s").count(), 0);
    }

    #[test]
    fn a_node_wakes_the_machine_that_names_it_and_the_machine_it_names() {
        let (mut index, owner) = fleet();
        index.apply_machine(machine("m", "5", Some(&owner)));
        let wake = index.apply_node(NodeView { metadata: meta("node-m", "7"), ..NodeView::default() });
        assert_eq!(names(&wake.machines), ["m"]);
        let mut other = NodeView { metadata: meta("elsewhere", "8"), ..NodeView::default() };
        other.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "lost".to_owned())].into());
        assert_eq!(names(&index.apply_node(other).machines), ["lost"]);
        let mut lost = machine("lost", "9", Some(&owner));
        lost.metadata.labels = None;
        assert_eq!(index.node_of(&lost).map(|node| node.name()), Some("elsewhere"));
    }

    #[test]
    fn a_node_wakes_the_deployment_of_its_machine_when_its_marks_change_and_not_by_what_its_kubelet_reports()
    {
        let (mut index, owner) = fleet();
        index.apply_machine(machine("m", "5", Some(&owner)));
        let mut node = NodeView { metadata: meta("node-m", "7"), ..NodeView::default() };
        assert_eq!(names(&index.apply_node(node.clone()).deployments), ["d"]);
        node.metadata.resource_version = Some("8".into());
        node.status.conditions.push(Default::default());
        assert_eq!(names(&index.apply_node(node.clone()).deployments), Vec::<&str>::new());
        node.metadata.resource_version = Some("9".into());
        node.metadata.labels = Some([(labels::UPDATE_RESULT.to_owned(), "successful".to_owned())].into());
        assert_eq!(names(&index.apply_node(node).deployments), ["d"]);
    }

    #[test]
    fn a_node_that_goes_never_takes_the_link_of_another_with_it() {
        let mut index = Index::default();
        let named = |name: &str, version: &str| {
            let mut node = NodeView { metadata: meta(name, version), ..NodeView::default() };
            node.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "m".to_owned())].into());
            node
        };
        index.apply_node(named("before", "1"));
        index.apply_node(named("now", "2"));
        index.forget_node("before", "uid-before");
        let mut machine = machine("m", "3", None);
        machine.metadata.labels = None;
        assert_eq!(index.node_of(&machine).map(|node| node.name()), Some("now"));
    }

    #[test]
    fn a_node_that_joined_as_the_machines_own_is_never_lost_to_another_wording_of_its_id() {
        let mut index = Index::default();
        let at = |seconds| Some(Time(Timestamp::from_second(seconds).expect("a time")));
        let mut machine = machine("m", "3", None);
        machine.spec.provider_id = "cloud:///zone/m".into();
        machine.metadata.creation_timestamp = at(100);
        let mut node = NodeView { metadata: meta("node-m", "7"), ..NodeView::default() };
        node.metadata.creation_timestamp = at(160);
        node.spec.provider_id = "cloud:///0815-4711".into();
        index.apply_node(node.clone());
        assert!(index.node_of(&machine).is_none(), "nothing says that it is the machine's");
        node.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "m".to_owned())].into());
        node.metadata.resource_version = Some("8".into());
        index.apply_node(node.clone());
        assert!(index.node_of(&machine).is_some());
        machine.metadata.creation_timestamp = at(200);
        assert!(index.node_of(&machine).is_none(), "it was there before the machine");
    }

    #[test]
    fn a_machine_that_goes_wakes_those_that_name_the_same_node() {
        let mut index = Index::default();
        let shared = |name: &str, version: &str| {
            let mut machine = machine(name, version, None);
            machine.metadata.labels = Some([(labels::NODE.to_owned(), "ip-1".to_owned())].into());
            machine
        };
        index.apply_machine(shared("a", "1"));
        index.apply_machine(shared("b", "2"));
        assert_eq!(names(&index.forget_machine("b", "uid-b").machines), ["a", "b"]);
    }

    #[test]
    fn progress_of_a_group_counts_the_others_and_never_goes_wrong_by_updates() {
        let (mut index, owner) = fleet();
        let pending = machine("a", "5", Some(&owner));
        let judged = machine("b", "6", Some(&owner));
        index.apply_machine(pending.clone());
        index.apply_machine(judged.clone());
        let in_progress = |index: &Index| {
            let group = index.meltdown_group(&judged, MeltdownScope::Deployment).expect("it has a name");
            let tally = index.tally_beside(&judged, &group);
            (tally.changing, tally.staying)
        };
        assert_eq!(in_progress(&index), (1, 1));
        let mut running = machine("a", "7", Some(&owner));
        running.status.current_status.phase = MachinePhase::Running;
        index.apply_machine(running);
        assert_eq!(in_progress(&index), (0, 1));
        index.forget_machine("a", "uid-a");
        index.forget_machine("b", "uid-b");
        assert_eq!(in_progress(&index), (0, 0));
        assert!(!index.has_machines_of_deployment("pool"));
    }

    #[test]
    fn only_what_a_machine_can_see_of_its_class_wakes_it() {
        let (mut index, owner) = fleet();
        index.apply_machine(machine("m", "5", Some(&owner)));
        let mut class = MachineClass::default();
        class.metadata = meta("class", "6");
        class.provider = "local".into();
        assert_eq!(names(&index.apply_class(class.clone()).machines), ["m"]);
        let mut finalized = class.clone();
        finalized.metadata = meta("class", "7");
        assert_eq!(names(&index.apply_class(finalized).machines), Vec::<&str>::new());
        let mut other = class;
        other.metadata = meta("class", "8");
        other.provider = "other".into();
        assert_eq!(names(&index.apply_class(other).machines), ["m"]);
    }

    #[test]
    fn machines_without_nodes_are_in_the_zones_of_their_classes_and_never_all_in_one_group() {
        let mut index = Index::default();
        let class = |name: &str, zone: &str, version: &str| {
            let mut class = MachineClass::default();
            class.metadata = meta(name, version);
            class.node_template =
                Some(millwright_api::ClassNodeTemplate { zone: zone.into(), ..Default::default() });
            class
        };
        let of = |name: &str, class: &str, version: &str| {
            let mut machine = machine(name, version, None);
            machine.spec.class.name = class.into();
            machine
        };
        let zone = |index: &Index, machine: &Machine| index.meltdown_group(machine, MeltdownScope::Zone);
        let in_zone = |zone: &str| Some(MeltdownGroup::Zone(zone.into()));
        let (a, b) = (of("a", "in-a", "5"), of("b", "in-b", "6"));
        // The class may be listed before its machines or after them.
        index.apply_class(class("in-a", "zone-a", "1"));
        index.apply_machine(a.clone());
        index.apply_machine(b.clone());
        index.apply_class(class("in-b", "zone-b", "2"));
        assert_eq!((zone(&index, &a), zone(&index, &b)), (in_zone("zone-a"), in_zone("zone-b")));
        // What the node says counts more, also when it has gone.
        let mut node = NodeView { metadata: meta("node-a", "7"), ..NodeView::default() };
        node.metadata.labels = Some([(labels::ZONE.to_owned(), "zone-c".to_owned())].into());
        index.apply_node(node);
        index.forget_node("node-a", "uid-node-a");
        index.apply_machine(of("a", "in-a", "8"));
        assert_eq!(zone(&index, &a), in_zone("zone-c"));
    }
}
