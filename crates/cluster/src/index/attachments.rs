//! Look-ups over volume attachments: by node and by volume, and which machines wait for which volume to be attached
//! elsewhere.

use std::collections::{BTreeSet, HashMap};

use millwright_api::{ObjectView, VolumeAttachmentView};

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
}
