//! Volumes of pods that went before this process looked at the node. Another process may have evicted them, so they may be on
//! their way; until it is known whose they are, everything that nobody accounts for is taken for one of them.

use std::sync::Arc;

use jiff::Timestamp;
use millwright_api::{NodeView, VolumeAttachmentView};

use super::volumes::{LookUp, VolumeStage, later};
use super::{DrainMemory, PodVolume, attached};
use crate::settings::MachineSettings;

/// Whether volumes of pods that are gone were looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Leftovers {
    /// Not yet.
    #[default]
    Unknown,
    /// In vain; the next listing looks again.
    Failing {
        /// Why.
        message: String,
    },
    /// They are among the volumes.
    Known,
}

impl DrainMemory {
    /// Names of what is attached to the node and is no volume that is known.
    pub(super) fn unaccounted(
        &self,
        node: &NodeView,
        attachments: &[Arc<VolumeAttachmentView>],
    ) -> Vec<String> {
        let known: Vec<&PodVolume> = self.volumes.values().flat_map(|pod| &pod.volumes).collect();
        attached::unaccounted(&known, node, attachments)
    }

    /// Until when something that is attached may be a volume left behind, while nobody could find out. Nothing is detached
    /// while an API server is away.
    pub(super) fn leftovers_until(
        &self,
        node: &NodeView,
        attachments: &[Arc<VolumeAttachmentView>],
        settings: &MachineSettings,
        trusted_since: Timestamp,
    ) -> Option<Timestamp> {
        if self.leftovers == Leftovers::Known || self.unaccounted(node, attachments).is_empty() {
            return None;
        }
        self.began_at.map(|began| later(began.max(trusted_since), settings.pv_detach_timeout))
    }

    /// What is attached and not known may be the volume of a pod that went.
    pub(super) fn may_own_unaccounted(&self) -> bool {
        self.leftovers != Leftovers::Known
            || self.volumes.values().any(|pod| {
                matches!(pod.look_up, LookUp::Failing { .. })
                    && !matches!(pod.stage, VolumeStage::Staying | VolumeStage::InUse)
            })
    }
}
