//! The rules of the provider by name, for messages and for the reference.

use millwright_provider::Rule;

use crate::kubermatic;

pub(crate) const SPEC: Rule = Rule::error(
    "aws/spec",
    "MachineClass: `providerSpec`",
    "It is an object whose fields have the types of the schema; otherwise no call can be made with it.",
);
pub(crate) const REGION: Rule = Rule::error(
    "aws/region",
    "MachineClass: `providerSpec.region`",
    "It is the name of a region in lower-case letters, digits and hyphens. It becomes part of the address that credentials are sent to.",
);
pub(crate) const REGION_STAYS: Rule = Rule::error(
    "aws/region-stays",
    "MachineClass: `providerSpec.region`",
    "The region of a class does not change: VMs made before would be looked for in the wrong place.",
);
pub(crate) const INSTANCE_PROFILE: Rule = Rule::error(
    "aws/instance-profile",
    "MachineClass: `providerSpec.iam`",
    "Exactly one of `name` and `arn` is set.",
);
pub(crate) const ROOT_DISK: Rule = Rule::error(
    "aws/root-disk",
    "MachineClass: `providerSpec.blockDevices`",
    "There is at least one disk; of several exactly one is called `/root`.",
);
pub(crate) const DEVICE_NAME: Rule = Rule::error(
    "aws/device-name",
    "MachineClass: `providerSpec.blockDevices[].deviceName`",
    "Of several disks each has a name of its own: `/root`, `/dev/sd[a-z]` or `/dev/xvd[a-c][a-z]`.",
);
pub(crate) const IOPS: Rule = Rule::error(
    "aws/iops",
    "MachineClass: `providerSpec.blockDevices[].ebs.iops`",
    "A volume of type `io1` or `io2` says how many I/O operations it has.",
);
pub(crate) const KMS_KEY: Rule = Rule::error(
    "aws/kms-key",
    "MachineClass: `providerSpec.blockDevices[].ebs.kmsKeyID`",
    "A key needs `encrypted: true`; EC2 refuses a key for a volume that is not encrypted.",
);
pub(crate) const NETWORK_INTERFACES: Rule = Rule::error(
    "aws/network-interfaces",
    "MachineClass: `providerSpec.networkInterfaces`",
    "There is at least one, each with a subnet and with security groups that are not blank.",
);
pub(crate) const DEVICE_INDEX: Rule = Rule::error(
    "aws/device-index",
    "MachineClass: `providerSpec.networkInterfaces[].deviceIndex`",
    "No two network interfaces have the same place on the same network card.",
);
pub(crate) const CAPACITY_RESERVATION: Rule = Rule::error(
    "aws/capacity-reservation",
    "MachineClass: `providerSpec.capacityReservation`",
    "It has a reservation, a group of reservations or a preference, and only one of them.",
);
pub(crate) const MARKET: Rule = Rule::error(
    "aws/market",
    "MachineClass: `providerSpec.instanceMarketOptions`",
    "`spotPrice` means a spot VM, so that `marketType` beside it can only be `spot`.",
);
pub(crate) const SPOT_PRICE: Rule = Rule::error(
    "aws/spot-price",
    "MachineClass: `providerSpec.spotPrice`",
    "It is empty or a positive number of US dollars, such as `0.05`.",
);
pub(crate) const CPU_OPTIONS: Rule = Rule::error(
    "aws/cpu-options",
    "MachineClass: `providerSpec.cpuOptions`",
    "`coreCount` and `threadsPerCore` are both there or both left out; EC2 takes no half of them.",
);
pub(crate) const PLACEMENT_HOST: Rule = Rule::error(
    "aws/placement-host",
    "MachineClass: `providerSpec.placement.hostId`",
    "A dedicated host needs `tenancy: host`.",
);
pub(crate) const CLUSTER_AND_ROLE: Rule = Rule::error(
    "aws/cluster-and-role",
    "MachineClass: `providerSpec.tags`",
    "Exactly one key has `kubernetes.io/cluster/` and exactly one `kubernetes.io/role/` in it. Together they say which VMs are \
     managed; VMs without them are never touched.",
);
pub(crate) const CLUSTER_AND_ROLE_STAY: Rule = Rule::error(
    "aws/cluster-and-role-stay",
    "MachineClass: `providerSpec.tags`",
    "The cluster and the role of a class do not change: VMs made before would be nobody's.",
);
pub(crate) const TAGS: Rule = Rule::error(
    "aws/tags",
    "MachineClass: `providerSpec.tags`",
    "There are at most 48 beside `Name`, because EC2 takes 50 and two are ours; no key begins with `aws:`, and `Machine-UID` is \
     not written by hand.",
);
pub(crate) const CREDENTIALS: Rule = Rule::error(
    "aws/credentials",
    "Secret: `providerAccessKeyId`, `providerSecretAccessKey`, `workloadIdentityTokenFile`, `roleARN`, `credentialSource`",
    "There is one way to prove oneself: an access key with its secret, a token file with a role, or `credentialSource: \
     instanceMetadata`. The token file lies where workload identities are mounted.",
);
pub(crate) const USER_DATA: Rule = Rule::error(
    "aws/user-data",
    "Secret: `userData`",
    "The text with which a VM starts is there, in UTF-8, at most 16 KiB.",
);

/// All of them.
pub(crate) const RULES: &[Rule] = &[
    SPEC,
    REGION,
    REGION_STAYS,
    INSTANCE_PROFILE,
    ROOT_DISK,
    DEVICE_NAME,
    IOPS,
    KMS_KEY,
    NETWORK_INTERFACES,
    DEVICE_INDEX,
    CAPACITY_RESERVATION,
    MARKET,
    SPOT_PRICE,
    CPU_OPTIONS,
    PLACEMENT_HOST,
    CLUSTER_AND_ROLE,
    CLUSTER_AND_ROLE_STAY,
    TAGS,
    CREDENTIALS,
    USER_DATA,
    kubermatic::FORM,
    kubermatic::DISK,
    kubermatic::SPOT,
    kubermatic::TAGS,
];
