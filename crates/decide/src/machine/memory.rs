//! What this process remembers of its own calls for one machine. Lost at a restart, and then asked
//! anew: every call is idempotent.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{ClassRecord, DeletionStep, MachineCode};
use millwright_provider::Instance;

use crate::drain::DrainMemory;
use crate::machine::Additions;

/// Memory of one machine, by UID.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineMemory {
    /// The VM, as of the last answer of its cloud.
    pub vm: VmKnowledge,
    /// What the cloud was last asked with for the VM, until nothing is left of that.
    pub asked_with: Option<ClassRecord>,
    /// How often the cloud was asked for a VM: an answer about an earlier one says nothing of the next.
    pub askings: u64,
    /// The last failed call, until one is answered.
    pub failure: Option<CallFailure>,
    /// Calls that failed since the last one whose work was done.
    pub failures: Failures,
    /// What the provider wants to be given at the next call; `None` when it was not asked yet, and `status.lastKnownState` counts.
    pub state: Option<String>,
    /// The drain of the machine's node.
    pub drain: DrainMemory,
    /// The machine's bootstrap token.
    pub bootstrap_token: BootstrapToken,
    /// Whether what we add to its status stays there.
    pub additions: Additions,
    /// What users were last told of something they wrote that is not understood.
    pub misuse_reported: Option<String>,
    /// The step of its deletion that an API server refused last, until it is done.
    pub step_failure: Option<StepFailure>,
}

/// How often a call failed. One that is still under way has not succeeded: a cloud that accepts and then fails, again and
/// again, fails in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    of: Option<CloudOperation>,
    count: u32,
}

impl Failures {
    fn one_more(self, operation: CloudOperation) -> Self {
        let before = if self.of == Some(operation) { self.count } else { 0 };
        Self { of: Some(operation), count: before.saturating_add(1) }
    }
}

/// A step of a deletion that an API server did not carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFailure {
    /// The step.
    pub step: DeletionStep,
    /// Why, for people.
    pub message: String,
    /// How often in a row.
    pub attempts: u32,
}

/// What is known of a machine's bootstrap token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BootstrapToken {
    /// An earlier process may have issued one.
    #[default]
    Unknown,
    /// The user data asks for none.
    NotNeeded,
    /// It exists, and is good until then.
    Issued {
        /// When it ends.
        until: Timestamp,
    },
    /// It was deleted.
    Deleted,
}

impl BootstrapToken {
    /// There may be one to delete.
    #[must_use]
    pub const fn may_exist(self) -> bool {
        matches!(self, Self::Unknown | Self::Issued { .. })
    }
}

/// What the cloud last said about the VM.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum VmKnowledge {
    /// It was not asked, or its answer was an error.
    #[default]
    NotAsked,
    /// The VM is there.
    Present(Instance),
    /// The cloud is still creating it.
    Creating {
        /// The id, if there is one already.
        provider_id: Option<String>,
        /// The provider's state, for `status.lastKnownState`.
        state: String,
        /// When to ask again.
        ask_at: Timestamp,
    },
    /// The cloud is still deleting it.
    Deleting {
        /// The provider's state, for `status.lastKnownState`.
        state: String,
        /// When to ask again.
        ask_at: Timestamp,
    },
    /// The cloud has deleted it; a list that is still to come shows whether anything is left.
    Unproven,
    /// Nothing of it is left.
    Gone,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure {
    /// Which call.
    pub operation: CloudOperation,
    /// Decides what follows.
    pub code: MachineCode,
    /// What went wrong, for people; never a credential.
    pub message: String,
    /// How often in a row; counted when it is remembered.
    pub attempts: u32,
    /// When it failed.
    pub at: Timestamp,
    /// How long the cloud asks to wait.
    pub retry_after: Option<Duration>,
    /// What the provider wants to be given at the next attempt, for `status.lastKnownState`.
    pub state: Option<String>,
}

/// Calls that are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloudOperation {
    /// Create, with all that it needs: class, secret, token.
    Create,
    /// Initialize.
    Initialize,
    /// Delete.
    Delete,
    /// Status: whether a dying machine has a VM, and what its node is called.
    Status,
}

impl MachineMemory {
    /// Remembers that a call failed; counts failures of the same call in a row.
    pub fn failed(&mut self, mut failure: CallFailure) {
        self.failures = self.failures.one_more(failure.operation);
        failure.attempts = self.failures.count;
        if failure.state.is_some() {
            self.state.clone_from(&failure.state);
        }
        if self.vm.is_awaited(failure.operation) {
            self.vm = VmKnowledge::NotAsked;
        }
        self.failure = Some(failure);
    }

    /// Remembers that an API server refused a step of the deletion.
    pub fn step_failed(&mut self, step: DeletionStep, message: String) {
        let before = self.step_failure.as_ref().filter(|before| before.step == step);
        let attempts = before.map_or(1, |before| before.attempts.saturating_add(1));
        self.step_failure = Some(StepFailure { step, message, attempts });
    }

    /// Forgets a failure of a step that is done after all.
    pub fn step_done(&mut self, step: DeletionStep) {
        self.step_failure.take_if(|failure| failure.step == step);
    }

    /// Class or Secret changed: what failed for something that is wrong in them is tried again at once. What was said of it stays.
    pub fn mended(&mut self) {
        self.retry_at_once(|code| {
            matches!(
                code,
                MachineCode::InvalidArgument
                    | MachineCode::Unauthenticated
                    | MachineCode::PermissionDenied
                    | MachineCode::FailedPrecondition
            )
        });
    }

    /// The class says something else: beside that, what there was no room for may not be asked for any more. Credentials that
    /// are changed every minute make no room.
    pub fn class_changed(&mut self) {
        self.mended();
        self.retry_at_once(|code| code == MachineCode::ResourceExhausted);
    }

    fn retry_at_once(&mut self, of: impl FnOnce(MachineCode) -> bool) {
        if let Some(failure) = self.failure.as_mut().filter(|failure| of(failure.code)) {
            failure.at = Timestamp::MIN;
        }
    }

    /// Remembers, before the cloud is asked for a VM, with what. From now on nobody knows that there is none.
    pub fn asks_with(&mut self, class: ClassRecord) {
        self.asked_with = Some(class);
        self.askings = self.askings.saturating_add(1);
        if matches!(self.vm, VmKnowledge::Gone | VmKnowledge::Unproven | VmKnowledge::Deleting { .. }) {
            self.vm = VmKnowledge::NotAsked;
        }
    }

    /// Forgets what the cloud was just asked with: nothing can have come of that.
    pub fn asked_nowhere(&mut self) {
        self.asked_with = None;
    }

    /// Remembers a VM that was found by a mere look: what the provider wants to be given next stays.
    pub fn found(&mut self, instance: Instance) {
        self.vm = VmKnowledge::Present(instance);
        self.failure = None;
    }

    /// Remembers an answer; forgets the failure before it.
    pub fn answered(&mut self, vm: VmKnowledge) {
        match &vm {
            VmKnowledge::Creating { state, .. } | VmKnowledge::Deleting { state, .. } => {
                self.state = Some(state.clone());
            }
            VmKnowledge::Present(_) | VmKnowledge::Gone => {
                self.state = Some(String::new());
                self.failures = Failures::default();
            }
            VmKnowledge::NotAsked | VmKnowledge::Unproven => {}
        }
        if vm == VmKnowledge::Gone {
            self.asked_with = None;
        }
        self.vm = vm;
        self.failure = None;
    }
}

impl VmKnowledge {
    /// It waits for what such a call began. When one fails nothing goes on any more, or nobody knows: it is asked anew, after
    /// the failure's wait.
    fn is_awaited(&self, operation: CloudOperation) -> bool {
        matches!(
            (self, operation),
            (Self::Creating { .. }, CloudOperation::Create)
                | (Self::Deleting { .. } | Self::Unproven, CloudOperation::Delete)
        )
    }
}
