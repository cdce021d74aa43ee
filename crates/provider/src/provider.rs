//! The calls to a cloud.

use async_trait::async_trait;
use millwright_api::MachineCode;

use crate::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, Instance, Listed, MachineView,
    ProviderError, SpecRules, UserData,
};

/// What every call about a machine is given.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The class of the machine.
    pub class: ClassView<'a>,
    /// The machine.
    pub machine: &'a MachineView,
    /// The class's credentials.
    pub credentials: &'a Credentials,
    /// When nobody waits any more: the call must return `DeadlineExceeded` by then.
    pub deadline: Deadline,
}

/// A deletion.
#[derive(Clone, Copy, Debug)]
pub struct DeleteRequest<'a> {
    /// What to delete.
    pub target: Target<'a>,
    /// Volumes that must be detached and kept.
    pub keep_volumes: &'a [String],
}

/// A cloud. Every call is short, repeatable, and may be dropped at any await.
///
/// An outage is never `NotFound`: a cloud that can't be asked must not look like a VM that is gone.
#[async_trait]
pub trait Provider: SpecRules {
    /// Looks the VM up by id, else by name and scope, else by UID tag, and changes nothing.
    ///
    /// # Errors
    /// `NotFound` when there is none (terminated counts as none), `OutOfRange` when there are several.
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError>;

    /// Creates the VM, or takes up a creation that goes on. Must find its own earlier VM first, send the
    /// machine's UID as idempotency key, and set the tags in the creating call.
    ///
    /// # Errors
    /// `ResourceExhausted` for quota and capacity, `AlreadyExists` for a foreign VM of that name.
    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError>;

    /// Does the steps after creation; converges however often it is called.
    ///
    /// # Errors
    /// `Unimplemented` when there are none, which counts as done.
    async fn initialize(&self, _target: Target<'_>) -> Result<Instance, ProviderError> {
        Err(ProviderError::new(MachineCode::Unimplemented, "no steps after creation"))
    }

    /// Deletes the VM and what belongs to it, also when only a part is left. Nothing there is success. Whether it worked is
    /// either looked up here, or left to [`list`](Self::list) by answering [`DeleteOutcome::Unproven`].
    ///
    /// # Errors
    /// `FailedPrecondition` for a VM of another cluster or role, which stays as it is.
    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError>;

    /// Everything within the class's scope, complete or an error.
    ///
    /// # Errors
    /// `InvalidArgument` when the class has no scope.
    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError>;
}
