//! Rules of the selector of sets and deployments.

use millwright_provider::Rule;

pub(crate) const SELECTOR_REQUIRED: Rule = Rule::error(
    "selector-required",
    "MachineSet, MachineDeployment: `spec.selector`",
    "It is there: Gardener's controllers crash without one.",
);
pub(crate) const SELECTOR_SYNTAX: Rule = Rule::error(
    "selector-syntax",
    "MachineSet, MachineDeployment: `spec.selector.matchExpressions`",
    "Each has a key, one of the four operators, and values exactly where the operator takes some.",
);
pub(crate) const SELECTOR_SELECTS_SOMETHING: Rule = Rule::error(
    "selector-selects-something",
    "MachineSet, MachineDeployment: `spec.selector`",
    "It is not empty: an empty one takes every machine of the namespace.",
);
pub(crate) const SELECTOR_KEEPS_MACHINES: Rule = Rule::error(
    "selector-keeps-machines",
    "MachineSet, MachineDeployment: `spec.selector`",
    "A new selector matches the machines there are: others would run on, counted by nobody, beside new ones. Without machines \
     it may change.",
);
pub(crate) const SELECTOR_MATCHES_TEMPLATE: Rule = Rule::error(
    "selector-matches-template",
    "MachineSet, MachineDeployment: `spec.selector`, `spec.template.metadata.labels`",
    "The selector matches the labels of the template. Else machines made from it would not be counted, and more would \
     be made without end.",
);
