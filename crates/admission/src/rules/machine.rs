//! Rules of a Machine, and of the template of machines in sets and deployments.

use millwright_provider::Rule;

pub(crate) const CLASS_REFERENCE: Rule = Rule::error(
    "class-reference",
    "Machine: `spec.class`; MachineSet, MachineDeployment: `spec.template.spec.class`",
    "It has the kind `MachineClass` and a name that an object can have.",
);
pub(crate) const CLASS_EXISTS: Rule = Rule::warning(
    "class-exists",
    "Machine: `spec.class.name`; MachineSet, MachineDeployment: `spec.template.spec.class.name`",
    "The class is there. Only told, because it may come with the next document of the same file; machines wait for it.",
);
pub(crate) const CLASS_DELETING: Rule = Rule::warning(
    "class-deleting",
    "Machine: `spec.class.name`; MachineSet, MachineDeployment: `spec.template.spec.class.name`",
    "The class is not being deleted: no machine can be made with one that is.",
);
pub(crate) const CLASS_GROUP: Rule = Rule::warning(
    "class-group",
    "Machine: `spec.class.apiGroup`; MachineSet, MachineDeployment: `spec.template.spec.class.apiGroup`",
    "It is `machine.sapcloud.io` or absent. Nobody looks at it.",
);
pub(crate) const CLASS_OF_VM: Rule = Rule::warning(
    "class-of-vm",
    "Machine: `spec.class.name`",
    "A machine that has a VM keeps its class: the VM stays what it was made as.",
);
pub(crate) const PROVIDER_ID_STAYS: Rule = Rule::error(
    "provider-id-stays",
    "Machine: `spec.providerID`",
    "Once set it neither goes nor names another VM (what follows the last slash, in any case of letters), which would run on unseen.",
);
pub(crate) const TEMPLATE_PROVIDER_ID: Rule = Rule::error(
    "template-provider-id",
    "MachineSet, MachineDeployment: `spec.template.spec.providerID`",
    "It is absent: a machine with one is taken for that VM, and none is made for it.",
);
pub(crate) const TEMPLATE_LABEL: Rule = Rule::error(
    "template-label",
    "MachineSet, MachineDeployment: `spec.template.metadata.labels`",
    "The label `node` is absent: it says which node a single machine has.",
);
pub(crate) const TEMPLATE_FORCE_DELETION: Rule = Rule::warning(
    "template-force-deletion",
    "MachineSet, MachineDeployment: `spec.template.metadata.labels`",
    "The label `force-deletion` is absent: with it no machine is ever drained.",
);
pub(crate) const MACHINE_PRIORITY: Rule = Rule::error(
    "machine-priority",
    "Machine: annotation `machinepriority.machine.sapcloud.io`, also in templates",
    "It is a whole number. Another text counts as 3 without a word.",
);
pub(crate) const PRESERVE_VALUE: Rule = Rule::error(
    "preserve-value",
    "Machine: annotation `node.machine.sapcloud.io/preserve`, also in templates",
    "It is `now`, `when-failed`, `auto-preserved` or `false`; with another value the machine is not preserved.",
);
pub(crate) const FORCE_DELETION: Rule = Rule::error(
    "force-deletion",
    "Machine: label `force-deletion`, also in templates",
    "It is true or false in one of Go's spellings: `True`, `true`, `1`, `False` and so on.",
);
pub(crate) const FORCE_DRAIN: Rule = Rule::warning(
    "force-drain",
    "Machine: label `force-drain`, also in templates",
    "It is exactly `True`; no other value has an effect.",
);
pub(crate) const TIME: Rule = Rule::warning(
    "time",
    "Machine: annotation `marked-for-deletion-time`; MachineSet, MachineDeployment: `last-deployment-replica-change-by-scaler-time`",
    "It is a time in the form of RFC 3339; another text is ignored.",
);
pub(crate) const DURATION: Rule = Rule::error(
    "duration",
    "Machine: `spec`; MachineSet, MachineDeployment: `spec.template.spec`: time-outs; annotation `effective-creation-timeout`",
    "It is a Go duration, zero or more, such as `20m` or `1h30m`.",
);
pub(crate) const NODE_CONDITIONS: Rule = Rule::error(
    "node-conditions",
    "Machine: `spec.nodeConditions`; MachineSet, MachineDeployment: `spec.template.spec.nodeConditions`",
    "Condition types stand with nothing but commas between them: they are compared byte by byte, and a space would \
     quietly switch one off.",
);
pub(crate) const TAINT: Rule = Rule::error(
    "taint",
    "Machine: `spec.nodeTemplate.spec.taints`; MachineSet, MachineDeployment: the same in `spec.template.spec`",
    "A taint has a key, a value that a label could have, and an effect that a node knows.",
);
pub(crate) const TAINT_UNIQUE: Rule = Rule::error(
    "taint-unique",
    "Machine: `spec.nodeTemplate.spec.taints`; MachineSet, MachineDeployment: the same in `spec.template.spec`",
    "No two taints have the same key and effect: the node could hold one of them only.",
);
