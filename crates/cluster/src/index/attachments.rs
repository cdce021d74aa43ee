//! Look-ups over volume attachments: by node and by volume, and which machines wait for which volume to be attached
//! elsewhere.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use millwright_api::keys::labels;
use millwright_api::{Machine, ObjectView, VolumeAttachmentView};
use millwright_decide::drain::DrainMemory;

use super::{Change, Index, Kind, Wake};
use crate::watch::WatchEvent;

#[derive(Default)]
pub(super) struct AttachmentLookups {
    by_node: HashMap<String, BTreeSet<String>>,
    by_volume: HashMap<String, BTreeSet<String>>,
    waiting: HashMap<String, BTreeSet<String>>,
    awaited_by: HashMap<String, BTreeSet<String>>,
}

impl AttachmentLookups {
    pub(super) fn of_node(&self, node: &str) -> impl Iterator<Item = &String> {
        self.by_node.get(node).into_iter().flatten()
    }

    pub(super) fn of_volume(&self, volume: &str) -> impl Iterator<Item = &String> {
        self.by_volume.get(volume).into_iter().flatten()
    }

    /// Machines that wait for the volume.
    pub(super) fn waiting_for(&self, volume: &str) -> impl Iterator<Item = &String> {
        self.awaited_by.get(volume).into_iter().flatten()
    }

    /// From now on the machine waits for these volumes and no others.
    pub(super) fn wait_for(&mut self, machine: &str, volumes: BTreeSet<String>) {
        let before = if volumes.is_empty() {
            self.waiting.remove(machine).unwrap_or_default()
        } else if self.waiting.get(machine) == Some(&volumes) {
            return;
        } else {
            self.waiting.insert(machine.to_owned(), volumes.clone()).unwrap_or_default()
        };
        before.difference(&volumes).for_each(|volume| remove(&mut self.awaited_by, volume, machine));
        for volume in volumes {
            self.awaited_by.entry(volume).or_default().insert(machine.to_owned());
        }
    }

    pub(super) fn change(
        &mut self,
        before: Option<&VolumeAttachmentView>,
        after: Option<&VolumeAttachmentView>,
    ) {
        if let Some(attachment) = before {
            let (name, spec) = (attachment.name(), &attachment.spec);
            remove(&mut self.by_node, &spec.node_name, name);
            remove(&mut self.by_volume, &spec.source.persistent_volume_name, name);
        }
        if let Some(attachment) = after {
            let (name, spec) = (attachment.name(), &attachment.spec);
            self.by_node.entry(spec.node_name.clone()).or_default().insert(name.to_owned());
            let volume = &spec.source.persistent_volume_name;
            if !volume.is_empty() {
                self.by_volume.entry(volume.clone()).or_default().insert(name.to_owned());
            }
        }
    }
}

fn remove(map: &mut HashMap<String, BTreeSet<String>>, key: &str, name: &str) {
    if let Some(names) = map.get_mut(key) {
        names.remove(name);
        if names.is_empty() {
            map.remove(key);
        }
    }
}

impl Index {
    /// Attachments of volumes to the machine's node, and to any other of those that its drain has seen there.
    #[must_use]
    pub fn attachments_of(&self, machine: &Machine, drain: &DrainMemory) -> Vec<Arc<VolumeAttachmentView>> {
        let noted = machine.label(labels::NODE).filter(|node| !node.is_empty());
        let Some(node) = self.node_of(machine).map(|node| node.name()).or(noted) else { return Vec::new() };
        let here = self.attachment_lookups.of_node(node);
        let of_pods = drain.volume_names().flat_map(|volume| self.attachment_lookups.of_volume(volume));
        let names: BTreeSet<&String> = here.chain(of_pods).collect();
        names.into_iter().filter_map(|name| self.attachments.get(name)).cloned().collect()
    }

    /// Attachments of volumes to a node.
    #[must_use]
    pub fn attachments_to(&self, node: &str) -> Vec<Arc<VolumeAttachmentView>> {
        self.attachment_lookups.of_node(node).filter_map(|name| self.attachments.get(name)).cloned().collect()
    }

    /// Wakes the machine when one of these volumes is attached or detached anywhere; and no longer for any other.
    pub(crate) fn await_volumes(&mut self, machine: &str, drain: &DrainMemory) {
        let volumes = drain.volume_names().map(str::to_owned).collect();
        self.attachment_lookups.wait_for(machine, volumes);
    }

    /// Takes an event of the volume attachments' watch.
    pub fn attachment_event(&mut self, event: WatchEvent<VolumeAttachmentView>) -> Wake {
        let mut wake = Wake::default();
        for change in self.attachments.event(event, &mut self.synced, Kind::VolumeAttachment) {
            wake.merge(self.attachment_changed(change));
        }
        wake
    }

    /// Takes an attachment as some API server's answer shows it.
    pub fn apply_attachment(&mut self, attachment: VolumeAttachmentView) -> Wake {
        let change = self.attachments.apply(attachment);
        self.attachment_changed(change)
    }

    /// Forgets an attachment that an API server says is gone.
    pub fn forget_attachment(&mut self, name: &str, uid: &str) -> Wake {
        let change = self.attachments.forget(name, uid);
        self.attachment_changed(change)
    }

    fn attachment_changed(&mut self, change: Change<VolumeAttachmentView>) -> Wake {
        let mut wake = Wake::default();
        let Some((before, after)) = change.sides() else { return wake };
        self.attachment_lookups.change(before.as_deref(), after.as_deref());
        for attachment in before.iter().chain(&after) {
            let node = &attachment.spec.node_name;
            let named = self.nodes.get(node).and_then(|node| node.label(labels::MACHINE_NAME));
            named.into_iter().for_each(|machine| wake.machine(machine));
            self.machine_lookups
                .of_node(node)
                .chain(self.attachment_lookups.waiting_for(&attachment.spec.source.persistent_volume_name))
                .for_each(|machine| wake.machine(machine));
        }
        wake
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(name: &str, node: &str, volume: &str) -> VolumeAttachmentView {
        let mut attachment = VolumeAttachmentView::default();
        attachment.metadata.name = Some(name.into());
        attachment.spec.node_name = node.into();
        attachment.spec.source.persistent_volume_name = volume.into();
        attachment
    }

    #[test]
    fn an_attachment_that_goes_leaves_no_trace() {
        let mut lookups = AttachmentLookups::default();
        let (here, there) = (attachment("a", "n1", "pv"), attachment("b", "n2", "pv"));
        lookups.change(None, Some(&here));
        lookups.change(None, Some(&there));
        assert_eq!(lookups.of_volume("pv").collect::<Vec<_>>(), ["a", "b"]);
        lookups.change(Some(&here), None);
        assert_eq!(lookups.of_node("n1").count(), 0);
        assert_eq!(lookups.of_volume("pv").collect::<Vec<_>>(), ["b"]);
        lookups.change(Some(&there), None);
        assert!(lookups.by_node.is_empty() && lookups.by_volume.is_empty());
    }

    #[test]
    fn a_machine_waits_for_what_it_named_last_and_for_nothing_else() {
        let mut lookups = AttachmentLookups::default();
        let volumes = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        lookups.wait_for("m", volumes(&["a", "b"]));
        lookups.wait_for("n", volumes(&["b"]));
        assert_eq!(lookups.waiting_for("b").collect::<Vec<_>>(), ["m", "n"]);
        lookups.wait_for("m", volumes(&["a"]));
        assert_eq!(lookups.waiting_for("b").collect::<Vec<_>>(), ["n"]);
        assert_eq!(lookups.waiting_for("a").collect::<Vec<_>>(), ["m"]);
        lookups.wait_for("m", BTreeSet::new());
        lookups.wait_for("n", BTreeSet::new());
        assert!(lookups.waiting.is_empty() && lookups.awaited_by.is_empty());
    }

    #[test]
    fn attachments_of_a_node_that_only_the_node_says_is_the_machines_are_the_machines() {
        let mut index = Index::default();
        let mut machine = Machine::default();
        machine.metadata.name = Some("m".into());
        machine.metadata.uid = Some("uid-m".into());
        index.apply_machine(machine.clone());
        let mut node = millwright_api::NodeView::default();
        node.metadata.name = Some("n1".into());
        node.metadata.uid = Some("uid-n1".into());
        node.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "m".to_owned())].into());
        index.apply_node(node);
        let mut here = attachment("a", "n1", "pv");
        here.metadata.uid = Some("uid-a".into());
        let wake = index.apply_attachment(here);
        assert!(wake.machines.contains("m"), "{wake:?}");
        assert_eq!(index.attachments_of(&machine, &DrainMemory::default()).len(), 1);
    }
}
