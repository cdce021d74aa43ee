//! The rules of the provider by name, for messages and for the reference.

use millwright_provider::Rule;

pub(crate) const SPEC: Rule = Rule::error(
    "local/spec",
    "MachineClass: `providerSpec`",
    "It is an object whose fields have the types of the schema; otherwise no call can be made with it.",
);
pub(crate) const ENDPOINT: Rule = Rule::error(
    "local/endpoint",
    "MachineClass: `providerSpec.endpoint`",
    "It is a URL of scheme `http` or `https`, host and port only. A password has no place in it; the token comes from \
     the Secret.",
);
pub(crate) const CLUSTER_AND_ROLE: Rule = Rule::error(
    "local/cluster-and-role",
    "MachineClass: `providerSpec.tags`",
    "Exactly one key begins with `kubernetes.io/cluster/` and exactly one with `kubernetes.io/role/`. Together they \
     say which VMs are managed; VMs without them are never touched.",
);
pub(crate) const CLUSTER_AND_ROLE_STAY: Rule = Rule::error(
    "local/cluster-and-role-stay",
    "MachineClass: `providerSpec.tags`",
    "The cluster and the role of a class do not change: VMs made before would be nobody's.",
);
pub(crate) const RESERVED_TAG: Rule = Rule::error(
    "local/reserved-tag",
    "MachineClass: `providerSpec.tags`",
    "The tag `machine-uid` is not written by hand; it is set on each VM to find it again.",
);
pub(crate) const BOOT_DELAY: Rule = Rule::error(
    "local/boot-delay",
    "MachineClass: `providerSpec.boot.delay`",
    "It is a Go duration such as `1m30s`, at most 24h.",
);
pub(crate) const TOKEN: Rule = Rule::error(
    "local/token",
    "Secret: `token`",
    "The API token of the simulated cloud is there, as one line of visible ASCII characters.",
);
pub(crate) const USER_DATA: Rule = Rule::error(
    "local/user-data",
    "Secret: `userData`",
    "The text with which a VM starts is there, in UTF-8, at most 64 KiB.",
);

/// All of them.
pub(crate) const RULES: &[Rule] =
    &[SPEC, ENDPOINT, CLUSTER_AND_ROLE, CLUSTER_AND_ROLE_STAY, RESERVED_TAG, BOOT_DELAY, TOKEN, USER_DATA];
