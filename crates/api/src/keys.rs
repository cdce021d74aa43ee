//! Every label, annotation, finalizer, taint and node condition that millwright reads or writes, by where it stands.
//! The texts are API: autoscalers, Gardener's worker controller and node agents depend on them.

pub mod annotations;
pub mod finalizers;
pub mod labels;
pub mod node_conditions;
pub mod placeholders;
pub mod taints;
