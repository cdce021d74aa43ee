//! The kinds that are served.

use crate::kind::{
    AtCreation, DeletedAnswer, GenerationRule, Grace, Origin, PutRule, ResourceKind, Scale, Scope, StatusRule,
};

const CORE: ResourceKind = ResourceKind {
    group: "",
    version: "v1",
    plural: "",
    kind: "",
    scope: Scope::Namespaced,
    origin: Origin::BuiltIn,
    status: StatusRule::None,
    generation: GenerationRule::Absent,
    grace: Grace::None,
    deleted: DeletedAnswer::Status,
    put: PutRule::Blind,
    fields: &[],
    scale: Scale::None,
};

const MACHINE_GROUP: ResourceKind = ResourceKind {
    group: "machine.sapcloud.io",
    version: "v1alpha1",
    origin: Origin::Custom,
    status: StatusRule::Alone { at_creation: AtCreation::Dropped },
    generation: GenerationRule::AllButMetadata,
    put: PutRule::Strict,
    ..CORE
};

const EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "reason",
    "type",
];

/// All of them.
pub(crate) static KINDS: &[ResourceKind] = &[
    ResourceKind {
        plural: "namespaces",
        kind: "Namespace",
        scope: Scope::Cluster,
        status: StatusRule::WithMetadata { at_creation: AtCreation::Fixed(r#"{"phase":"Active"}"#) },
        deleted: DeletedAnswer::Object,
        fields: &["status.phase"],
        ..CORE
    },
    ResourceKind {
        plural: "nodes",
        kind: "Node",
        scope: Scope::Cluster,
        status: StatusRule::WithMetadata { at_creation: AtCreation::Kept },
        fields: &["spec.unschedulable"],
        ..CORE
    },
    ResourceKind {
        plural: "pods",
        kind: "Pod",
        status: StatusRule::WithMetadata { at_creation: AtCreation::Fixed(r#"{"phase":"Pending"}"#) },
        generation: GenerationRule::Spec,
        grace: Grace::Pod,
        deleted: DeletedAnswer::Object,
        fields: &["spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "status.phase"],
        ..CORE
    },
    ResourceKind { plural: "secrets", kind: "Secret", fields: &["type"], ..CORE },
    ResourceKind { plural: "configmaps", kind: "ConfigMap", ..CORE },
    ResourceKind {
        plural: "serviceaccounts",
        kind: "ServiceAccount",
        deleted: DeletedAnswer::Object,
        ..CORE
    },
    ResourceKind {
        plural: "events",
        kind: "Event",
        put: PutRule::BlindOrCreates,
        fields: EVENT_FIELDS,
        ..CORE
    },
    ResourceKind {
        plural: "persistentvolumes",
        kind: "PersistentVolume",
        scope: Scope::Cluster,
        status: StatusRule::WithMetadata { at_creation: AtCreation::Fixed(r#"{"phase":"Pending"}"#) },
        deleted: DeletedAnswer::Object,
        ..CORE
    },
    ResourceKind {
        plural: "persistentvolumeclaims",
        kind: "PersistentVolumeClaim",
        status: StatusRule::WithMetadata { at_creation: AtCreation::Fixed(r#"{"phase":"Pending"}"#) },
        deleted: DeletedAnswer::Object,
        ..CORE
    },
    ResourceKind {
        group: "events.k8s.io",
        plural: "events",
        kind: "Event",
        put: PutRule::BlindOrCreates,
        ..CORE
    },
    ResourceKind {
        group: "coordination.k8s.io",
        plural: "leases",
        kind: "Lease",
        put: PutRule::Creates,
        ..CORE
    },
    ResourceKind {
        group: "storage.k8s.io",
        plural: "volumeattachments",
        kind: "VolumeAttachment",
        scope: Scope::Cluster,
        status: StatusRule::Alone { at_creation: AtCreation::Fixed(r#"{"attached":false}"#) },
        deleted: DeletedAnswer::Object,
        put: PutRule::Strict,
        ..CORE
    },
    ResourceKind {
        group: "policy",
        plural: "poddisruptionbudgets",
        kind: "PodDisruptionBudget",
        status: StatusRule::WithMetadata { at_creation: AtCreation::Dropped },
        generation: GenerationRule::Spec,
        put: PutRule::Strict,
        ..CORE
    },
    ResourceKind {
        plural: "machineclasses",
        kind: "MachineClass",
        status: StatusRule::None,
        ..MACHINE_GROUP
    },
    ResourceKind { plural: "machines", kind: "Machine", ..MACHINE_GROUP },
    ResourceKind { plural: "machinesets", kind: "MachineSet", scale: Scale::Replicas, ..MACHINE_GROUP },
    ResourceKind {
        plural: "machinedeployments",
        kind: "MachineDeployment",
        scale: Scale::Replicas,
        ..MACHINE_GROUP
    },
];

/// The kind at a path.
pub(crate) fn served(group: &str, version: &str, plural: &str) -> Option<&'static ResourceKind> {
    KINDS.iter().find(|kind| kind.group == group && kind.version == version && kind.plural == plural)
}

/// The kind of a name as kubectl takes it: `machines`, or `events.events.k8s.io` where that is not enough.
pub(crate) fn named(resource: &str) -> Option<&'static ResourceKind> {
    KINDS
        .iter()
        .find(|kind| kind.qualified() == resource)
        .or_else(|| KINDS.iter().find(|kind| kind.plural == resource))
}

/// The kind that an object says it is of.
pub(crate) fn of_object(api_version: &str, kind: &str) -> Option<&'static ResourceKind> {
    KINDS.iter().find(|known| known.kind == kind && known.api_version() == api_version)
}
