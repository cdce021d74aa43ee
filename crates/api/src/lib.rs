//! The vocabulary of millwright: the four resource kinds of `machine.sapcloud.io/v1alpha1`, their
//! phases, operations and machine codes, and every key (label, annotation, finalizer, taint) that
//! other programs read or write.
//!
//! Types here are lenient on the wire: a field that is missing, null or unknown never makes an
//! object undecodable, because one odd object must not stop a watch. What is *allowed* is decided in
//! `admission`, what *follows* from an object in `decide`. No I/O, no clock, no async.

pub mod keys;

mod class_record;
mod class_reference;
mod condition;
mod deletion_step;
mod go_duration;
mod group;
mod int_or_percent;
mod labels;
mod last_operation;
mod machine;
mod machine_class;
mod machine_code;
mod machine_deployment;
mod machine_phase;
mod machine_set;
mod machine_summary;
mod maintenance_windows;
mod merge_patch;
mod node_template;
mod node_view;
mod object;
mod object_view;
mod operation_state;
mod operation_type;
mod owner;
mod quantity;
mod secret_view;
mod template;
mod volume_attachment_view;
mod wire;

pub use class_record::ClassRecord;
pub use class_reference::ClassReference;
pub use condition::{ConditionStatus, DeploymentCondition, MachineSetCondition, NodeCondition};
pub use deletion_step::DeletionStep;
pub use go_duration::{DurationError, GoDuration};
pub use group::{API_VERSION, GROUP, MACHINE_CLASS_KIND, VERSION};
pub use int_or_percent::{IntOrPercent, PercentError, Rounding};
pub use labels::{SelectorError, matches_selector, selector_to_query};
pub use last_operation::LastOperation;
pub use machine::{CurrentStatus, Machine, MachineConfiguration, MachineSpec, MachineStatus, NodeReference};
pub use machine_class::{ClassNodeTemplate, MachineClass};
pub use machine_code::{MachineCode, ParsedCode};
pub use machine_deployment::{
    InPlaceUpdate, MachineDeployment, MachineDeploymentSpec, MachineDeploymentStatus, RollbackTo,
    RollingUpdate, Strategy,
};
pub use machine_phase::MachinePhase;
pub use machine_set::{MachineSet, MachineSetSpec, MachineSetStatus};
pub use machine_summary::MachineSummary;
pub use maintenance_windows::{MaintenanceState, MaintenanceWindows, Opening, WindowError};
pub use merge_patch::merge_patch;
pub use node_template::NodeTemplate;
pub use node_view::{AttachedVolume, NodeView, NodeViewSpec, NodeViewStatus};
pub use object_view::ObjectView;
pub use operation_state::OperationState;
pub use operation_type::OperationType;
pub use owner::{controller_of, controller_reference};
pub use quantity::Quantity;
pub use secret_view::SecretView;
pub use template::MachineTemplate;
pub use volume_attachment_view::{
    VolumeAttachmentView, VolumeAttachmentViewSpec, VolumeAttachmentViewStatus, VolumeSourceView,
};
