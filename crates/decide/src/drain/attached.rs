//! Whether a volume is attached to a node, by the node's own report and by the objects that stand for attachments.

use std::sync::Arc;

use millwright_api::{NodeView, ObjectView, VolumeAttachmentView};

use super::PodVolume;

/// Attached, or on its way to or from. The node's report drops a volume before its detachment begins, and the
/// attachment goes when that is done, so a volume is gone only when both say so.
pub(super) fn is_attached(
    volume: &PodVolume,
    node: &NodeView,
    attachments: &[Arc<VolumeAttachmentView>],
) -> bool {
    let reported = node
        .status
        .volumes_attached
        .iter()
        .any(|attached| volume.ids.iter().any(|id| names(&attached.name, id)));
    reported
        || attachments.iter().any(|attachment| {
            attachment.spec.node_name == node.name()
                && attachment.spec.source.persistent_volume_name == volume.name
        })
}

/// Names of everything that is attached to a node: volumes, or as the node reports them where no object stands for them.
pub(super) fn all_attached(node: &NodeView, attachments: &[Arc<VolumeAttachmentView>]) -> Vec<String> {
    let mut names: Vec<String> = attachments
        .iter()
        .filter(|attachment| attachment.spec.node_name == node.name())
        .map(|attachment| name_of(attachment))
        .collect();
    let reported = &node.status.volumes_attached;
    if names.len() < reported.len() {
        names.extend(reported.iter().map(|attached| attached.name.clone()));
    }
    names
}

/// Names of what is attached to a node and is none of these volumes.
pub(super) fn unaccounted(
    known: &[&PodVolume],
    node: &NodeView,
    attachments: &[Arc<VolumeAttachmentView>],
) -> Vec<String> {
    let here: Vec<&VolumeAttachmentView> = attachments
        .iter()
        .map(|attachment| &**attachment)
        .filter(|attachment| attachment.spec.node_name == node.name())
        .collect();
    let mut unknown: Vec<String> = here
        .iter()
        .filter(|attachment| {
            known.iter().all(|volume| volume.name != attachment.spec.source.persistent_volume_name)
        })
        .map(|attachment| name_of(attachment))
        .collect();
    let reported = &node.status.volumes_attached;
    if here.len() < reported.len() {
        let is_known = |name: &str| known.iter().any(|volume| volume.ids.iter().any(|id| names(name, id)));
        let others = reported.iter().map(|attached| &attached.name).filter(|name| !is_known(name));
        unknown.extend(others.cloned());
    }
    unknown
}

/// The volume's name, or the attachment's own where it names none.
fn name_of(attachment: &VolumeAttachmentView) -> String {
    match attachment.spec.source.persistent_volume_name.as_str() {
        "" => attachment.name().to_owned(),
        volume => volume.to_owned(),
    }
}

/// `kubernetes.io/csi/<driver>^<id>` and `kubernetes.io/<plugin>/<id>`: the whole name or its end, and never a part of an id.
fn names(attached: &str, id: &str) -> bool {
    match attached.strip_suffix(id) {
        Some("") => true,
        Some(before) => before.ends_with(['^', '/']),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_volume_is_known_by_its_whole_id_and_never_by_a_pattern() {
        for (attached, id, wanted) in [
            ("kubernetes.io/csi/ebs.csi.aws.com^vol-1", "vol-1", true),
            ("kubernetes.io/csi/ebs.csi.aws.com^vol-12", "vol-1", false),
            ("kubernetes.io/csi/ebs.csi.aws.com^xvol-1", "vol-1", false),
            ("kubernetes.io/csi/ebs.csi.aws.com^vol-1", "vol-.", false),
            ("kubernetes.io/csi/d^a.b", "axb", false),
            ("kubernetes.io/csi/d^a(b", "a(b", true),
            ("kubernetes.io/aws-ebs/aws://eu-west-1a/vol-1", "vol-1", true),
            ("kubernetes.io/azure-disk//subscriptions/s/disks/d", "/subscriptions/s/disks/d", true),
            ("vol-1", "vol-1", true),
        ] {
            assert_eq!(names(attached, id), wanted, "{attached} {id}");
        }
    }
}
