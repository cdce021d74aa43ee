//! The rules of the provider by name, for messages and for the reference.

use millwright_provider::Rule;

use crate::kubermatic;

pub(crate) const SPEC: Rule = Rule::error(
    "gcp/spec",
    "MachineClass: `providerSpec`",
    "It is an object whose fields have the types of the schema; otherwise no call can be made with it.",
);
pub(crate) const PLACE: Rule = Rule::error(
    "gcp/place",
    "MachineClass: `providerSpec.region`, `providerSpec.zone`",
    "Both are names of Compute Engine, and the zone is one of the region: `europe-west1-b` of `europe-west1`.",
);
pub(crate) const MACHINE_TYPE: Rule = Rule::error(
    "gcp/machine-type",
    "MachineClass: `providerSpec.machineType`",
    "It is the name of a machine type, such as `n2-standard-2`, not a path.",
);
pub(crate) const BOOT_DISK: Rule = Rule::error(
    "gcp/boot-disk",
    "MachineClass: `providerSpec.disks`",
    "Exactly one disk has `boot: true`, and it has an image.",
);
pub(crate) const SCRATCH_DISK: Rule = Rule::error(
    "gcp/scratch-disk",
    "MachineClass: `providerSpec.disks[].interface`",
    "A disk of type `SCRATCH` is a local SSD and says `NVME` or `SCSI`; none boots from it.",
);
pub(crate) const DISK_ENCRYPTION: Rule = Rule::error(
    "gcp/disk-encryption",
    "MachineClass: `providerSpec.disks[].encryption`",
    "It names a key; the service account is left out or is more than white space.",
);
pub(crate) const GPU: Rule = Rule::error(
    "gcp/gpu",
    "MachineClass: `providerSpec.gpu`",
    "A VM with accelerators can not move: `scheduling.onHostMaintenance` is `TERMINATE`.",
);
pub(crate) const SCHEDULING: Rule = Rule::error(
    "gcp/scheduling",
    "MachineClass: `providerSpec.scheduling`",
    "A preemptible VM neither restarts nor moves: `automaticRestart` is not true and `onHostMaintenance` is `TERMINATE`.",
);
pub(crate) const NETWORK_INTERFACE: Rule = Rule::error(
    "gcp/network-interface",
    "MachineClass: `providerSpec.networkInterfaces[]`",
    "It names a network or a subnetwork, or both.",
);
pub(crate) const ALIAS_RANGE: Rule = Rule::error(
    "gcp/alias-range",
    "MachineClass: `providerSpec.networkInterfaces[].ipCidrRange`",
    "It is a mask from `/0` to `/32`, and is there when `useAliasIPs` is true.",
);
pub(crate) const METADATA: Rule = Rule::error(
    "gcp/metadata",
    "MachineClass: `providerSpec.metadata[]`",
    "Each key is there once and none is `user-data`, which is set from the Secret.",
);
pub(crate) const LABELS: Rule = Rule::error(
    "gcp/labels",
    "MachineClass: `providerSpec.labels`, `providerSpec.disks[].labels`",
    "Keys and values have at most 63 characters: lower-case letters, digits, `_` and `-`; a key begins with a letter.",
);
pub(crate) const RESERVED_LABEL: Rule = Rule::error(
    "gcp/reserved-label",
    "MachineClass: `providerSpec.labels`, `providerSpec.disks[].labels`",
    "The labels `machine_uid` and `machine_name` are not written by hand; they are set on each VM to find it again.",
);
pub(crate) const NETWORK_TAGS: Rule = Rule::error(
    "gcp/network-tags",
    "MachineClass: `providerSpec.tags`",
    "A tag has at most 63 characters: lower-case letters, digits and `-`, beginning with a letter and not ending with `-`.",
);
pub(crate) const CLUSTER_AND_ROLE: Rule = Rule::error(
    "gcp/cluster-and-role",
    "MachineClass: `providerSpec.tags`",
    "Exactly one tag holds `kubernetes-io-cluster-` and exactly one `kubernetes-io-role-`. Together they say which VMs are \
     managed; VMs without them are never touched.",
);
pub(crate) const CLUSTER_AND_ROLE_STAY: Rule = Rule::error(
    "gcp/cluster-and-role-stay",
    "MachineClass: `providerSpec.tags`",
    "The cluster and the role of a class do not change: VMs made before would be nobody's.",
);
pub(crate) const ZONE_STAYS: Rule = Rule::error(
    "gcp/zone-stays",
    "MachineClass: `providerSpec.zone`",
    "The zone of a class does not change: VMs made before would be looked for in the wrong place.",
);
pub(crate) const ACCOUNT: Rule = Rule::error(
    "gcp/account",
    "Secret: `serviceAccountJSON`",
    "It is the JSON of a service account's key or of a workload identity (`external_account`) that names no other hosts than \
     Google's and no other file than the mounted token.",
);
pub(crate) const PROJECT: Rule = Rule::error(
    "gcp/project",
    "Secret: `serviceAccountJSON`, `projectID`",
    "The project is named, by the JSON or by a key of its own.",
);
pub(crate) const USER_DATA: Rule = Rule::error(
    "gcp/user-data",
    "Secret: `userData`",
    "The text with which a VM starts is there, in UTF-8, at most 256 KiB.",
);

/// All of them.
pub(crate) const RULES: &[Rule] = &[
    SPEC,
    PLACE,
    MACHINE_TYPE,
    BOOT_DISK,
    SCRATCH_DISK,
    DISK_ENCRYPTION,
    GPU,
    SCHEDULING,
    NETWORK_INTERFACE,
    ALIAS_RANGE,
    METADATA,
    LABELS,
    RESERVED_LABEL,
    NETWORK_TAGS,
    CLUSTER_AND_ROLE,
    CLUSTER_AND_ROLE_STAY,
    ZONE_STAYS,
    ACCOUNT,
    PROJECT,
    USER_DATA,
    kubermatic::FORM,
    kubermatic::PLACE,
    kubermatic::DISK,
    kubermatic::IMAGE,
    kubermatic::SCHEDULING,
    kubermatic::NETWORK,
    kubermatic::LABELS,
];
