//! Every rule of admission by name: what messages carry, and what the reference lists.

mod class;
mod deployment;
mod everywhere;
mod machine;
mod selector;

use millwright_provider::Rule;

pub(crate) use class::*;
pub(crate) use deployment::*;
pub(crate) use everywhere::*;
pub(crate) use machine::*;
pub(crate) use selector::*;

/// The rules that hold whatever the provider, in the order of the reference. Those of providers are listed by their
/// [`rules`](millwright_provider::SpecRules::rules).
pub const RULES: &[Rule] = &[
    // Every kind.
    FIELD_TYPE,
    COUNT,
    LABEL,
    ANNOTATION,
    // MachineClass.
    PROVIDER_KNOWN,
    PROVIDER_SPEC,
    PROVIDER_FIELD_REQUIRED,
    PROVIDER_FIELD_TYPE,
    PROVIDER_FIELD_CHOICE,
    PROVIDER_FIELD_RANGE,
    PROVIDER_FIELD_LENGTH,
    PROVIDER_FIELD_FORM,
    PROVIDER_FIELD_UNKNOWN,
    SECRET_REFERENCE,
    SECRET_NAMESPACE,
    NODE_TEMPLATE_COMPLETE,
    // Machines and templates.
    CLASS_REFERENCE,
    CLASS_EXISTS,
    DURATION,
    NODE_CONDITIONS,
    TAINT,
    TAINT_UNIQUE,
    // Sets and deployments.
    SELECTOR_REQUIRED,
    SELECTOR_SYNTAX,
    SELECTOR_SELECTS_SOMETHING,
    SELECTOR_MATCHES_TEMPLATE,
    // Deployments.
    STRATEGY_TYPE,
    STRATEGY_LIMIT,
    STRATEGY_CAN_BEGIN,
    MAINTENANCE_WINDOW,
];
