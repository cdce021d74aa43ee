//! The rules of the provider by name, for messages and for the reference.

use millwright_provider::Rule;

use crate::kubermatic;

pub(crate) const SPEC: Rule = Rule::error(
    "openstack/spec",
    "MachineClass: `providerSpec`",
    "It is an object of `kind: MachineProviderConfig` whose fields have the types of the schema; otherwise no call can be \
     made with it.",
);
pub(crate) const IMAGE: Rule = Rule::error(
    "openstack/image",
    "MachineClass: `providerSpec.spec.imageID`, `providerSpec.spec.imageName`",
    "One of the two is set. The id wins where both are.",
);
pub(crate) const NETWORK: Rule = Rule::error(
    "openstack/network",
    "MachineClass: `providerSpec.spec.networkID`, `providerSpec.spec.networks`",
    "Exactly one of the two is set.",
);
pub(crate) const NETWORKS_ENTRY: Rule = Rule::error(
    "openstack/networks-entry",
    "MachineClass: `providerSpec.spec.networks[]`",
    "Each names its network by `id` or by `name`, not by both; `podNetwork` is only for classes with pod CIDRs.",
);
pub(crate) const SUBNETS: Rule = Rule::error(
    "openstack/subnets",
    "MachineClass: `providerSpec.spec.subnetID`, `providerSpec.spec.subnetIDs`",
    "Subnets are of the network that `networkID` names, so they need it. None is empty.",
);
pub(crate) const POD_CIDRS: Rule = Rule::error(
    "openstack/pod-cidrs",
    "MachineClass: `providerSpec.spec.podNetworkCIDRs`, `providerSpec.spec.podNetworkCidr`",
    "At least one is set, and each is an address and a prefix length, such as `100.96.0.0/11`. They become allowed address \
     pairs of the VM's ports.",
);
pub(crate) const ROOT_DISK: Rule = Rule::error(
    "openstack/root-disk",
    "MachineClass: `providerSpec.spec.rootDiskSize`",
    "A root disk of a type of its own has a size: the flavor's is not the volume's.",
);
pub(crate) const CLUSTER_AND_ROLE: Rule = Rule::error(
    "openstack/cluster-and-role",
    "MachineClass: `providerSpec.spec.tags`",
    "Exactly one key contains `kubernetes.io-cluster-` and exactly one `kubernetes.io-role-`. Together they say which \
     servers are managed; servers without them are never touched.",
);
pub(crate) const CLUSTER_AND_ROLE_STAY: Rule = Rule::error(
    "openstack/cluster-and-role-stay",
    "MachineClass: `providerSpec.spec.tags`",
    "The cluster and the role of a class do not change: servers made before would be nobody's.",
);
pub(crate) const REGION_STAYS: Rule = Rule::error(
    "openstack/region-stays",
    "MachineClass: `providerSpec.spec.region`",
    "The region of a class does not change: servers made before would not be found.",
);
pub(crate) const RESERVED_TAG: Rule = Rule::error(
    "openstack/reserved-tag",
    "MachineClass: `providerSpec.spec.tags`",
    "The tag `machine-uid` is not written by hand; it is set on each server to find it again.",
);
pub(crate) const AUTH_URL: Rule = Rule::error(
    "openstack/auth-url",
    "Secret: `authURL`",
    "The address of Keystone is there: `http` or `https`, a host, with or without `/v3`, and no user or password in it.",
);
pub(crate) const IDENTITY: Rule = Rule::error(
    "openstack/identity",
    "Secret: `username`, `password`, `applicationCredentialID`, `applicationCredentialName`, `applicationCredentialSecret`",
    "Who calls is said in one way: by user and password, by the id and secret of an application credential, or by its name, \
     secret and user.",
);
pub(crate) const DOMAIN_AND_PROJECT: Rule = Rule::error(
    "openstack/domain-and-project",
    "Secret: `domainName`, `domainID`, `tenantName`, `tenantID`",
    "The domain and the project are named, each by name or by id. An application credential knows its own.",
);
pub(crate) const TRUST: Rule = Rule::error(
    "openstack/trust",
    "Secret: `caCert`, `clientCert`, `clientKey`, `insecure`",
    "Certificates and keys are PEM, a client certificate comes with its key, and `insecure` is `true` or `false`.",
);
pub(crate) const USER_DATA: Rule = Rule::error(
    "openstack/user-data",
    "Secret: `userData`",
    "The text with which a server starts is there, in UTF-8, at most 49149 bytes: Nova takes 65535 characters of base64.",
);

/// All of them.
pub(crate) const RULES: &[Rule] = &[
    SPEC,
    IMAGE,
    NETWORK,
    NETWORKS_ENTRY,
    SUBNETS,
    POD_CIDRS,
    ROOT_DISK,
    CLUSTER_AND_ROLE,
    CLUSTER_AND_ROLE_STAY,
    REGION_STAYS,
    RESERVED_TAG,
    AUTH_URL,
    IDENTITY,
    DOMAIN_AND_PROJECT,
    TRUST,
    USER_DATA,
    kubermatic::FORM,
    kubermatic::NETWORK,
    kubermatic::DISK,
    kubermatic::TAGS,
    kubermatic::NOT_SERVED,
];
