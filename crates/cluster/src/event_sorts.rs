//! Every sort of event there is. Reasons, components and objects are part of the API: people filter by them, and
//! those of machine-controller-manager stay as they are.

use crate::events::EventKind;

/// What all events of a sort have in common.
#[derive(Debug, PartialEq, Eq)]
pub struct EventSort {
    /// One word.
    pub reason: &'static str,
    /// Whether somebody should look.
    pub kind: EventKind,
    /// Kind of the object it is about.
    pub object: &'static str,
    /// Who says it.
    pub component: &'static str,
    /// What it says, with capitals for what differs.
    pub message: &'static str,
}

macro_rules! sorts {
    ($($(#[doc = $doc:literal])+ $constant:ident = $kind:ident $reason:literal on $object:literal by $component:literal: $message:literal,)+) => {
        $($(#[doc = $doc])+
        pub(crate) static $constant: EventSort = EventSort {
            reason: $reason,
            kind: EventKind::$kind,
            object: $object,
            component: $component,
            message: $message,
        };)+

        /// All of them.
        pub static ALL: &[&EventSort] = &[$(&$constant),+];
    };
}

sorts! {
    /// A deployment's set shall have another number of machines.
    SCALING_SET = Normal "ScalingMachineSet" on "MachineDeployment" by "machine-controller-manager":
        "Scaled up|down machine set SET to COUNT",
    /// A set could not be made.
    SET_CREATE_ERROR = Warning "MachineSetCreateError" on "MachineDeployment" by "machine-controller-manager":
        "what the API server said",
    /// A deployment went back to the template of an earlier revision.
    ROLLED_BACK = Normal "DeploymentRollback" on "MachineDeployment" by "machine-controller-manager":
        "Rolled back deployment DEPLOYMENT to revision REVISION",
    /// A deployment can not go back: no set has that revision.
    ROLLBACK_REVISION_NOT_FOUND = Warning "DeploymentRollbackRevisionNotFound" on "MachineDeployment" by "machine-controller-manager":
        "Unable to find the revision to rollback to, or last revision",
    /// A deployment would go back to the template that it has.
    ROLLBACK_TEMPLATE_UNCHANGED = Warning "DeploymentRollbackTemplateUnchanged" on "MachineDeployment" by "machine-controller-manager":
        "Revision REVISION has the same template as deployment DEPLOYMENT, nothing is rolled back",
    /// A selector that matches everything.
    SELECTING_ALL = Warning "SelectingAll" on "MachineDeployment" by "machine-controller-manager":
        "This deployment is selecting all machines. A non-empty selector is required.",
    /// A strategy that is not carried out.
    STRATEGY_NOT_SUPPORTED = Warning "StrategyNotSupported" on "MachineDeployment" by "machine-controller-manager":
        "spec.strategy.type TYPE WHY, so the new template is not rolled out. Use \
         RollingUpdate or Recreate.",
    /// A machine was made.
    MACHINE_CREATED = Normal "SuccessfulCreate" on "MachineSet" by "machineset-controller":
        "Created Machine: MACHINE",
    /// A machine could not be made.
    MACHINE_NOT_CREATED = Warning "FailedCreate" on "MachineSet" by "machineset-controller":
        "Error creating: what the API server said",
    /// The deletion of a machine was asked for.
    MACHINE_DELETED = Normal "SuccessfulDelete" on "MachineSet" by "machineset-controller":
        "Deleted machine: MACHINE",
    /// The deletion of a machine could not be asked for.
    MACHINE_NOT_DELETED = Warning "FailedDelete" on "MachineSet" by "machineset-controller":
        "Error deleting: what the API server said",
    /// A set has far more machines than it may have.
    SET_FROZEN = Normal "FrozeMachineSet" on "MachineSet" by "machine-controller-manager":
        "The number of machines backing MachineSet: SET is COUNT >= LIMIT which is the Max-ScaleUp-Limit",
    /// It has not any more, or an operator let it go.
    SET_UNFROZEN = Normal "UnfrozeMachineSet" on "MachineSet" by "machine-controller-manager":
        "MachineSet SET is no longer frozen: it has COUNT machines",
    /// A VM could not be made, or its node has not joined in time.
    CREATION_FAILED = Warning "MachineCreationFailed" on "Machine" by "machine-controller":
        "the description of the last operation",
    /// A node is not well.
    UNHEALTHY = Warning "MachineUnhealthy" on "Machine" by "machine-controller":
        "the description of the last operation",
    /// An API server refuses what a machine's node shall carry.
    NODE_REFUSED = Warning "MachineNodeRefused" on "Machine" by "machine-controller":
        "Node NODE does not take what shall be on it: what the API server said. Correct spec.nodeTemplate if that is wrong; it is \
         tried again.",
    /// A step of a deletion failed.
    DELETION_FAILED = Warning "MachineDeletionFailed" on "Machine" by "machine-controller":
        "the description of the last operation",
    /// A pod does not go while its node is drained. Told once for each pod and budget.
    DRAIN_BLOCKED = Warning "DrainBlocked" on "Machine" by "machine-controller":
        "Pod NAMESPACE/POD is held back by disruption budget NAMESPACE/BUDGET",
    /// Something else failed.
    OPERATION_FAILED = Warning "MachineOperationFailed" on "Machine" by "machine-controller":
        "the description of the last operation",
    /// Something that a user wrote is not understood.
    NOT_UNDERSTOOD = Warning "InvalidAnnotation" on "Machine" by "machine-controller":
        "which annotation of which object, its value, and what is allowed",
    /// An API server can't be reached, or the process stood still.
    FROZE = Warning "FrozeController" on "Lease" by "machine-controller":
        "Frozen, no machine is judged, made or deleted: which API server, and what happened",
    /// All is seen again.
    THAWED = Normal "ThawedController" on "Lease" by "machine-controller":
        "Thawed after COUNT s. No machine is judged by that time; each has its whole time-outs again",
    /// A VM, or a part of one, without a machine. Once for each.
    ORPHAN_FOUND = Warning "FoundOrphan" on "MachineClass" by "machine-controller":
        "No machine NAME owns VM|network interface|disk|address ID: it is deleted|it stays, because orphans are only \
         reported",
    /// A VM, or a part of one, without a machine is gone.
    ORPHAN_DELETED = Normal "DeletedOrphan" on "MachineClass" by "machine-controller":
        "Deleted orphan VM|network interface|disk|address ID: no machine NAME owns it",
    /// A VM, or a part of one, without a machine is still there.
    ORPHAN_NOT_DELETED = Warning "OrphanDeletionFailed" on "MachineClass" by "machine-controller":
        "Orphan VM|network interface|disk|address ID of machine NAME could not be deleted: what the provider said",
}
