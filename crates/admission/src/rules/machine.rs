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
pub(crate) const DURATION: Rule = Rule::error(
    "duration",
    "Machine: `spec`; MachineSet, MachineDeployment: `spec.template.spec`: time-outs",
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
