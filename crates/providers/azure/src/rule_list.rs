//! The rules of the provider by name, for messages and for the reference.

use millwright_provider::Rule;

use crate::kubermatic;

pub(crate) const SPEC: Rule = Rule::error(
    "azure/spec",
    "MachineClass: `providerSpec`",
    "It is an object whose fields have the types of the schema; otherwise no call can be made with it.",
);
pub(crate) const CLUSTER_AND_ROLE: Rule = Rule::error(
    "azure/cluster-and-role",
    "MachineClass: `providerSpec.tags`",
    "Exactly one key begins with `kubernetes.io-cluster-` and exactly one with `kubernetes.io-role-`. Together they \
     say which VMs are managed; VMs without them are never touched.",
);
pub(crate) const CLUSTER_AND_ROLE_STAY: Rule = Rule::error(
    "azure/cluster-and-role-stay",
    "MachineClass: `providerSpec.tags`",
    "The cluster and the role of a class do not change: VMs made before would be nobody's.",
);
pub(crate) const RESOURCE_GROUP_STAYS: Rule = Rule::error(
    "azure/resource-group-stays",
    "MachineClass: `providerSpec.resourceGroup`, `providerSpec.cloudConfiguration.name`",
    "The resource group and the cloud of a class do not change: VMs made before would be looked for in the wrong place.",
);
pub(crate) const RESERVED_TAG: Rule = Rule::error(
    "azure/reserved-tag",
    "MachineClass: `providerSpec.tags`",
    "The tag `Machine-UID` is not written by hand, in whatever case; it is set on each VM, network interface and disk to find \
     them again.",
);
pub(crate) const TAG_TWICE: Rule = Rule::error(
    "azure/tag-twice",
    "MachineClass: `providerSpec.tags`",
    "No two keys differ in case only: Azure takes them for the same tag.",
);
pub(crate) const ONE_IMAGE: Rule = Rule::error(
    "azure/one-image",
    "MachineClass: `providerSpec.properties.storageProfile.imageReference` and `dataDisks[].imageRef`",
    "It names exactly one image: by `id`, `urn`, `communityGalleryImageID` or `sharedGalleryImageID`.",
);
pub(crate) const URN: Rule = Rule::error(
    "azure/urn",
    "MachineClass: `urn` of an image",
    "It is `publisher:offer:sku:version`, none of them empty.",
);
pub(crate) const DATA_DISK_IMAGE: Rule = Rule::error(
    "azure/data-disk-image",
    "MachineClass: `providerSpec.properties.storageProfile.dataDisks[].imageRef`",
    "A data disk is made from an image by `id`, `urn`, `communityGalleryImageID` or `sharedGalleryImageID`; the version of a `urn` \
     is not `latest`, since a disk is made from one certain version.",
);
pub(crate) const LUNS: Rule = Rule::error(
    "azure/luns",
    "MachineClass: `providerSpec.properties.storageProfile.dataDisks[].lun`",
    "Every data disk has a number of its own.",
);
pub(crate) const ONE_PLACEMENT: Rule = Rule::error(
    "azure/one-placement",
    "MachineClass: `providerSpec.properties`",
    "Exactly one of `zone`, `availabilitySet` and `virtualMachineScaleSet` is there; the deprecated `machineSet` stands for \
     one of the latter two.",
);
pub(crate) const RESOURCE_ID: Rule = Rule::error(
    "azure/resource-id",
    "MachineClass: fields that name another resource of Azure",
    "It is a whole resource id of the right type: `/subscriptions/…/resourceGroups/…/providers/…`; case does not matter.",
);
pub(crate) const SSH_KEY: Rule = Rule::error(
    "azure/ssh-key",
    "MachineClass: `providerSpec.properties.osProfile.linuxConfiguration.ssh.publicKeys.keyData`",
    "It is a public key as OpenSSH writes it: `ssh-rsa …` or `ssh-ed25519 …`. Azure takes no others.",
);
pub(crate) const STORAGE_URI: Rule = Rule::error(
    "azure/storage-uri",
    "MachineClass: `providerSpec.properties.diagnosticsProfile.storageURI`",
    "It is the https address of a storage account.",
);
pub(crate) const CLIENT_ID: Rule = Rule::error(
    "azure/client-id",
    "Secret: `clientID` (`azureClientId`)",
    "The id of the service principal or managed identity is there, of letters, digits, `-` and `.`.",
);
pub(crate) const SUBSCRIPTION: Rule = Rule::error(
    "azure/subscription",
    "Secret: `subscriptionID` (`azureSubscriptionId`)",
    "The id of the subscription is there, of letters, digits, `-` and `.`.",
);
pub(crate) const TENANT: Rule = Rule::error(
    "azure/tenant",
    "Secret: `tenantID` (`azureTenantId`)",
    "The id or the domain of the tenant is there, of letters, digits, `-` and `.`.",
);
pub(crate) const PROOF: Rule = Rule::error(
    "azure/proof",
    "Secret: `clientSecret` (`azureClientSecret`), `workloadIdentityTokenFile`, `useManagedIdentity`",
    "Exactly one of them says how the caller proves who it is. A token file lies below `/var/run/secrets/`.",
);
pub(crate) const USER_DATA: Rule = Rule::error(
    "azure/user-data",
    "Secret: `userData`",
    "The text with which a VM starts is there, in UTF-8, at most 65535 bytes.",
);

/// All of them.
pub(crate) const RULES: &[Rule] = &[
    SPEC,
    CLUSTER_AND_ROLE,
    CLUSTER_AND_ROLE_STAY,
    RESOURCE_GROUP_STAYS,
    RESERVED_TAG,
    TAG_TWICE,
    ONE_IMAGE,
    URN,
    DATA_DISK_IMAGE,
    LUNS,
    ONE_PLACEMENT,
    RESOURCE_ID,
    SSH_KEY,
    STORAGE_URI,
    CLIENT_ID,
    SUBSCRIPTION,
    TENANT,
    PROOF,
    USER_DATA,
    kubermatic::FORM,
    kubermatic::IMAGE,
    kubermatic::DISK,
    kubermatic::PLACEMENT,
    kubermatic::SECURITY,
    kubermatic::TAGS,
    kubermatic::NOT_SERVED,
];
