//! Rules of a MachineClass.

use millwright_provider::Rule;

pub(crate) const PROVIDER_KNOWN: Rule = Rule::error(
    "provider-known",
    "MachineClass: `provider`",
    "It names a provider that this build knows, in any case of letters.",
);
pub(crate) const PROVIDER_ELSEWHERE: Rule = Rule::warning(
    "provider-elsewhere",
    "MachineClass: `provider`",
    "In place of `provider-known` with `--unknown-providers=told`: a provider that this build does not know is somebody else's, and its \
     part of the class is not looked at.",
);
pub(crate) const PROVIDER_SPEC: Rule =
    Rule::error("provider-spec", "MachineClass: `providerSpec`", "The settings of the VM are there.");
pub(crate) const PROVIDER_FIELD_REQUIRED: Rule = Rule::error(
    "provider-field-required",
    "MachineClass: `providerSpec`",
    "Every field that the provider's schema requires is there and not empty.",
);
pub(crate) const PROVIDER_FIELD_TYPE: Rule = Rule::error(
    "provider-field-type",
    "MachineClass: `providerSpec`",
    "A field holds the type that the provider's schema says.",
);
pub(crate) const PROVIDER_FIELD_CHOICE: Rule = Rule::error(
    "provider-field-choice",
    "MachineClass: `providerSpec`",
    "A field holds one of the values that the provider's schema lists.",
);
pub(crate) const PROVIDER_FIELD_RANGE: Rule = Rule::error(
    "provider-field-range",
    "MachineClass: `providerSpec`",
    "A number lies within the bounds of the provider's schema.",
);
pub(crate) const PROVIDER_FIELD_LENGTH: Rule = Rule::error(
    "provider-field-length",
    "MachineClass: `providerSpec`",
    "Texts, lists, maps and keys are as long as the provider's schema allows.",
);
pub(crate) const PROVIDER_FIELD_FORM: Rule = Rule::error(
    "provider-field-form",
    "MachineClass: `providerSpec`",
    "A value has the pattern, the format or the form that the provider's schema asks for, and no item is there twice.",
);
pub(crate) const PROVIDER_FIELD_UNKNOWN: Rule = Rule::warning(
    "provider-field-unknown",
    "MachineClass: `providerSpec`",
    "Every key is one that the provider reads, in any case of letters; another one is ignored, as Gardener's drivers ignore it, and told with \
     what was probably meant.",
);
pub(crate) const SECRET_REFERENCE: Rule = Rule::error(
    "secret-reference",
    "MachineClass: `secretRef`, `credentialsSecretRef`",
    "At least one of them is there, because user data comes from a Secret, and each names a Secret.",
);
pub(crate) const SECRET_NAMESPACE: Rule = Rule::error(
    "secret-namespace",
    "MachineClass: `secretRef.namespace`, `credentialsSecretRef.namespace`",
    "It is the namespace of the class: Secrets elsewhere are never read.",
);
pub(crate) const SECRET_EXISTS: Rule = Rule::warning(
    "secret-exists",
    "MachineClass: `secretRef.name`, `credentialsSecretRef.name`",
    "The Secret is there. Only told, because it may come with the next document of the same file; machines wait for it. Looked \
     at only where the webhook may read Secrets.",
);
pub(crate) const SECRET_KEYS: Rule = Rule::error(
    "secret-keys",
    "MachineClass: `secretRef`, `credentialsSecretRef`",
    "The Secrets, when both are there, hold every key that the provider requires, under one of its names and not empty. Looked \
     at only where the webhook may read Secrets; else the controller says it in the machine's status.",
);
pub(crate) const SECRET_STAYS: Rule = Rule::error(
    "secret-stays",
    "MachineClass: `secretRef`, `credentialsSecretRef`",
    "While machines use the class, neither is removed, unless what remains is known to hold every key that the provider \
     requires: without credentials no VM can be deleted.",
);
pub(crate) const PROVIDER_STAYS: Rule = Rule::error(
    "provider-stays",
    "MachineClass: `provider`",
    "While machines use the class, it stays the same provider: another one would look for their VMs in another cloud.",
);
pub(crate) const SCOPE_STAYS: Rule = Rule::error(
    "scope-stays",
    "MachineClass: `providerSpec`",
    "While machines use the class, the cluster and the role that its tags name stay: VMs that carry others are never touched.",
);
pub(crate) const SCOPE_LOCATION: Rule = Rule::warning(
    "scope-location",
    "MachineClass: `providerSpec`",
    "While machines use the class, the place that it looks at (an endpoint, a region, a project) stays, or their VMs are there \
     too.",
);
pub(crate) const CLASS_IN_USE: Rule = Rule::error(
    "class-in-use",
    "MachineClass: its deletion",
    "Nobody names it who is not being deleted himself. Passes where who names it is not known, and when the whole namespace \
     goes.",
);
pub(crate) const RESOURCE_NAME: Rule = Rule::error(
    "resource-name",
    "MachineClass: `nodeTemplate.capacity`, `nodeTemplate.virtualCapacity`",
    "Resources are called as nodes call them: `cpu`, `memory`, `example.com/licence`.",
);
pub(crate) const ARCHITECTURE: Rule = Rule::warning(
    "architecture",
    "MachineClass: `nodeTemplate.architecture`",
    "It is one that nodes report in the label `kubernetes.io/arch`.",
);
pub(crate) const NODE_TEMPLATE_COMPLETE: Rule = Rule::error(
    "node-template-complete",
    "MachineClass: `nodeTemplate`",
    "It is absent, or holds capacity with `cpu`, `gpu` and `memory`, and `instanceType`, `region` and `zone`: the \
     controllers make no machine of a class with half of it.",
);
