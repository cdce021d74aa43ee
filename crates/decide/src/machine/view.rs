//! Everything a decision about a machine may look at. Borrowed: building one copies nothing.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{ClassRecord, Machine, MachineClass, NodeView, VolumeAttachmentView};

use crate::drain::DrainSlot;
use crate::machine::{MachineMemory, MeltdownGuard, UnheldSecret};
use crate::{Freeze, MachineSettings};

/// One machine and what surrounds it.
#[derive(Clone, Copy, Debug)]
pub struct MachineView<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Its class.
    pub class: ClassKnowledge<'a>,
    /// The first Secret that a birth needs and that our finalizer does not hold.
    pub unheld_secret: Option<UnheldSecret<'a>>,
    /// By which of the two its VM is looked after. Asked for births and deaths only.
    pub vm_class: VmClass,
    /// Its node, by label `node` or by the name its provider gave.
    pub node: Option<&'a NodeView>,
    /// Another node that already bears the name which the cloud gave to the machine's new VM.
    pub namesake_node: Option<&'a NodeView>,
    /// Attachments of volumes to the machine's node, and of those volumes that its drain has seen there to any other.
    pub attachments: &'a [Arc<VolumeAttachmentView>],
    /// Whether its node may be drained now.
    pub drain_slot: DrainSlot,
    /// What this process remembers of its own calls for the machine.
    pub memory: &'a MachineMemory,
    /// Whether one more machine of its group may fail now.
    pub meltdown: MeltdownGuard,
    /// The flags, with the machine's own overrides.
    pub settings: &'a MachineSettings,
    /// Whether we can trust what we see.
    pub freeze: Freeze,
    /// Since when we can trust it without a break; health is judged by time after this only.
    pub trusted_since: Timestamp,
    /// How much of the time since its deletion was asked for we could not see, as far as this process knows.
    pub blind_since_deletion: Duration,
    /// Between 0 and 1, spreads retries.
    pub jitter: f64,
}

impl MachineView<'_> {
    /// What its VM was last asked for with, as far as that is known.
    pub(super) fn record(&self) -> Option<ClassRecord> {
        self.memory.asked_with.clone().or_else(|| ClassRecord::on(self.machine))
    }
}

/// What is known of a machine's class.
#[derive(Clone, Copy, Debug)]
pub enum ClassKnowledge<'a> {
    /// It exists.
    Known(&'a MachineClass),
    /// There is no class of that name.
    Missing,
}

/// The class by which a machine's VM is looked after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VmClass {
    /// Its class, as it is now.
    #[default]
    Current,
    /// What is recorded of the one that the VM was asked for with: its class names another place or another cloud by now, or
    /// can't be read any more.
    Recorded,
}
