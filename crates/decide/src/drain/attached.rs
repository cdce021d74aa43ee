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
    unaccounted(&[], node, attachments)
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
    let unknown = here
        .iter()
        .filter(|attachment| {
            known.iter().all(|volume| volume.name != attachment.spec.source.persistent_volume_name)
        })
        .map(|attachment| name_of(attachment));
    unknown.chain(only_reported(known, node, &here)).collect()
}

/// What the node reports and neither a known volume nor an attachment stands for. The attachment of a volume whose ids are
/// known stands for these alone. Any other does not tell the id, and stands for one name of its driver; what is attached
/// without a driver has none.
fn only_reported(known: &[&PodVolume], node: &NodeView, here: &[&VolumeAttachmentView]) -> Vec<String> {
    let mut drivers: Vec<&str> = here
        .iter()
        .filter(|attachment| {
            let volume = &attachment.spec.source.persistent_volume_name;
            known.iter().all(|known| known.ids.is_empty() || known.name != *volume)
        })
        .map(|attachment| attachment.spec.attacher.as_str())
        .collect();
    let is_known = |name: &str| known.iter().any(|volume| volume.ids.iter().any(|id| names(name, id)));
    let mut has_attachment = |name: &str| {
        let driver = name.strip_prefix("kubernetes.io/csi/").and_then(|name| name.split_once('^'));
        let place = driver.and_then(|(driver, _)| drivers.iter().position(|one| *one == driver));
        place.map(|place| drivers.swap_remove(place)).is_some()
    };
    let reported = node.status.volumes_attached.iter().map(|attached| &attached.name);
    reported.filter(|name| !is_known(name) && !has_attachment(name)).cloned().collect()
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
    use std::sync::Arc;

    use millwright_api::{AttachedVolume, NodeView, VolumeAttachmentView};

    use super::{PodVolume, names, unaccounted};

    fn attachment(attacher: &str, volume: &str) -> Arc<VolumeAttachmentView> {
        let mut attachment = VolumeAttachmentView::default();
        attachment.spec.attacher = attacher.into();
        attachment.spec.source.persistent_volume_name = volume.into();
        Arc::new(attachment)
    }

    #[test]
    fn an_attachment_hides_nothing_but_what_it_may_stand_for() {
        let (mine, foreign) = ("kubernetes.io/csi/ebs^vol-1", "kubernetes.io/csi/nfs^x");
        let in_tree = "kubernetes.io/aws-ebs/aws://eu-west-1a/vol-9";
        let known = [
            &PodVolume { name: "pv-1".into(), ids: vec!["vol-1".into()] },
            &PodVolume { name: "pv-x".into(), ids: Vec::new() },
        ];
        for (attached, reported, wanted) in [
            (vec![("ebs", "pv-1")], vec![mine], vec![]),
            (vec![("ebs", "pv-1"), ("nfs", "pv-x")], vec![mine, foreign], vec![]),
            (vec![], vec![mine, foreign], vec![foreign]),
            // Attached and not reported, beside something that is reported alone.
            (vec![("ebs", "pv-1")], vec![in_tree], vec![in_tree]),
            (vec![("ebs", "pv-1")], vec!["kubernetes.io/csi/ebs^vol-2"], vec!["kubernetes.io/csi/ebs^vol-2"]),
            (vec![("ebs", "pv-2")], vec![in_tree], vec!["pv-2", in_tree]),
            (vec![("ebs", "pv-2")], vec![foreign], vec!["pv-2", foreign]),
            // Named once, by the volume.
            (vec![("ebs", "pv-2")], vec!["kubernetes.io/csi/ebs^vol-2"], vec!["pv-2"]),
        ] {
            let mut node = NodeView::default();
            let names = reported.iter().map(|name| AttachedVolume { name: (*name).to_owned() });
            node.status.volumes_attached = names.collect();
            let attachments: Vec<_> =
                attached.iter().map(|(attacher, volume)| attachment(attacher, volume)).collect();
            assert_eq!(unaccounted(&known, &node, &attachments), wanted, "{attached:?} {reported:?}");
        }
    }

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
