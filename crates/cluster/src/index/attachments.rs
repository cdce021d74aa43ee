//! Look-ups over volume attachments: by node and by volume.

use std::collections::{BTreeSet, HashMap};

use millwright_api::{ObjectView, VolumeAttachmentView};

#[derive(Default)]
pub(super) struct AttachmentLookups {
    by_node: HashMap<String, BTreeSet<String>>,
}

impl AttachmentLookups {
    pub(super) fn of_node(&self, node: &str) -> impl Iterator<Item = &String> {
        self.by_node.get(node).into_iter().flatten()
    }

    pub(super) fn change(
        &mut self,
        before: Option<&VolumeAttachmentView>,
        after: Option<&VolumeAttachmentView>,
    ) {
        if let Some(attachment) = before
            && let Some(names) = self.by_node.get_mut(&attachment.spec.node_name)
        {
            names.remove(attachment.name());
            if names.is_empty() {
                self.by_node.remove(&attachment.spec.node_name);
            }
        }
        if let Some(attachment) = after {
            let node = attachment.spec.node_name.clone();
            self.by_node.entry(node).or_default().insert(attachment.name().to_owned());
        }
    }
}
