//! A node that is being drained, and what was seen of it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{AttachedVolume, NodeView, ObjectView, VolumeAttachmentView};
use millwright_decide::MachineSettings;
use millwright_decide::drain::{
    DrainMemory, DrainProgress, DrainUrgency, DrainView, EvictionOutcome, LookUp, NextLook, PodListing,
    PodOnNode, PodVolume, PodVolumes, VolumeStage, plan,
};
use millwright_decide::machine::MachineAction;

use crate::fixtures::node::ready;
use crate::fixtures::time::at;

/// A node that is being drained.
pub(super) struct Desk {
    pub(super) node: NodeView,
    pub(super) attachments: Vec<Arc<VolumeAttachmentView>>,
    pub(super) memory: DrainMemory,
    pub(super) settings: MachineSettings,
    pub(super) trusted_since: Timestamp,
}

impl Desk {
    /// With these pods on it, seen at second 0.
    pub(super) fn with(pods: &[PodOnNode]) -> Self {
        let mut desk = Self {
            node: ready("n"),
            attachments: Vec::new(),
            memory: DrainMemory::default(),
            settings: MachineSettings::default(),
            trusted_since: at(-1_000_000),
        };
        desk.see(pods, 0);
        desk
    }

    pub(super) fn see(&mut self, pods: &[PodOnNode], seconds: i64) {
        self.memory.listed(PodListing { at: at(seconds), pods: pods.to_vec() });
    }

    /// The pod uses these volumes of the machine's cloud, which are attached to the node.
    pub(super) fn volumes_of(&mut self, pod: &PodOnNode, names: &[&str]) {
        let volumes = names.iter().map(|name| volume(name)).collect();
        self.memory.looked_up(&pod.id.uid, pod_volumes(pod, volumes));
        names.iter().for_each(|name| self.attach(name));
    }

    pub(super) fn attach(&mut self, volume: &str) {
        self.node.status.volumes_attached.push(AttachedVolume { name: reported(volume) });
        self.attach_to("n", volume);
    }

    pub(super) fn attach_to(&mut self, node: &str, volume: &str) {
        let mut attachment = VolumeAttachmentView::default();
        attachment.metadata.name = Some(format!("{volume}-{node}"));
        attachment.spec.attacher = "driver".into();
        attachment.spec.node_name = node.into();
        attachment.spec.source.persistent_volume_name = volume.into();
        attachment.status.attached = true;
        self.attachments.push(Arc::new(attachment));
    }

    pub(super) fn detach(&mut self, volume: &str) {
        self.node.status.volumes_attached.retain(|attached| attached.name != reported(volume));
        self.attachments.retain(|attachment| attachment.name() != format!("{volume}-n"));
    }

    /// The pod's eviction was accepted.
    pub(super) fn accepted(&mut self, pod: &PodOnNode, seconds: i64) {
        self.memory.tried(&pod.id.uid, at(seconds), EvictionOutcome::Accepted);
    }

    pub(super) fn blocked(&mut self, pod: &PodOnNode, seconds: i64) {
        let budget = "default/web".to_owned();
        self.memory.tried(&pod.id.uid, at(seconds), EvictionOutcome::Blocked { budget });
    }

    pub(super) fn failed(&mut self, pod: &PodOnNode, seconds: i64, message: &str) {
        self.memory.tried(&pod.id.uid, at(seconds), EvictionOutcome::Failed { message: message.into() });
    }

    /// Two hours after second 0 it is forced.
    pub(super) fn plan(&mut self, seconds: i64) -> DrainProgress {
        let left = u64::try_from(7200 - seconds).unwrap_or_default();
        self.plan_with(DrainUrgency::Graceful { time_left: Duration::from_secs(left) }, seconds)
    }

    pub(super) fn force(&mut self, seconds: i64) -> DrainProgress {
        self.plan_with(DrainUrgency::Forced, seconds)
    }

    fn plan_with(&mut self, urgency: DrainUrgency, seconds: i64) -> DrainProgress {
        self.memory.saw(&self.node, &self.attachments, &self.settings, self.trusted_since, at(seconds));
        let view = DrainView {
            node: &self.node,
            attachments: &self.attachments,
            memory: &self.memory,
            settings: &self.settings,
            urgency,
            since: self.memory.began_at.unwrap_or(at(seconds)),
            trusted_since: self.trusted_since,
        };
        plan(&view, at(seconds))
    }

    /// Names of the pods that are evicted now; of those deleted with an exclamation mark.
    pub(super) fn asks(&mut self, seconds: i64) -> Vec<String> {
        match self.plan(seconds) {
            DrainProgress::Going { actions, .. } => asked(&actions),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn says(&mut self, seconds: i64) -> String {
        match self.plan(seconds) {
            DrainProgress::Going { description, .. } => description,
            other => panic!("{other:?}"),
        }
    }

    /// Seconds until the next look; 0 when the pods are to be listed now.
    pub(super) fn looks_after(&mut self, seconds: i64) -> u64 {
        match self.plan(seconds) {
            DrainProgress::Going { look: NextLook::After(wait), .. } => wait.as_secs(),
            DrainProgress::Going { look: NextLook::ListNow, .. } => 0,
            other => panic!("{other:?}"),
        }
    }
}

pub(super) fn asked(actions: &[MachineAction]) -> Vec<String> {
    actions
        .iter()
        .map(|action| match action {
            MachineAction::EvictPod(pod) => pod.name.clone(),
            MachineAction::DeletePod(pod) => format!("{}!", pod.name),
            other => panic!("{other:?}"),
        })
        .collect()
}

pub(super) fn volume(name: &str) -> PodVolume {
    PodVolume { name: name.into(), ids: vec![format!("vol-{name}")] }
}

pub(super) fn pod_volumes(pod: &PodOnNode, volumes: Vec<PodVolume>) -> PodVolumes {
    PodVolumes {
        pod: format!("{}/{}", pod.id.namespace, pod.id.name),
        grace: pod.grace,
        priority: pod.priority,
        look_up: LookUp::Done,
        volumes,
        untracked: Vec::new(),
        stage: VolumeStage::InUse,
    }
}

/// The same pod, being deleted: its last moment.
pub(super) fn ending(pod: &PodOnNode, seconds: i64) -> PodOnNode {
    PodOnNode { deleted_at: Some(at(seconds)), ..pod.clone() }
}

pub(super) fn done() -> DrainProgress {
    DrainProgress::Done { undetached: Vec::new() }
}

fn reported(volume: &str) -> String {
    format!("kubernetes.io/csi/driver^vol-{volume}")
}
