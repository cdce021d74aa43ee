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
    FIELD_UNKNOWN,
    FIELD_WITHOUT_EFFECT,
    OBJECT_NAME,
    NAME_LENGTH,
    COUNT,
    LABEL,
    ANNOTATION,
    ANNOTATION_KNOWN,
    // MachineClass.
    PROVIDER_KNOWN,
    PROVIDER_ELSEWHERE,
    PROVIDER_STAYS,
    PROVIDER_SPEC,
    PROVIDER_FIELD_REQUIRED,
    PROVIDER_FIELD_TYPE,
    PROVIDER_FIELD_CHOICE,
    PROVIDER_FIELD_RANGE,
    PROVIDER_FIELD_LENGTH,
    PROVIDER_FIELD_FORM,
    PROVIDER_FIELD_UNKNOWN,
    SCOPE_STAYS,
    SCOPE_LOCATION,
    SECRET_REFERENCE,
    SECRET_NAMESPACE,
    SECRET_EXISTS,
    SECRET_KEYS,
    SECRET_STAYS,
    NODE_TEMPLATE_COMPLETE,
    RESOURCE_NAME,
    QUANTITY,
    ARCHITECTURE,
    CLASS_IN_USE,
    // Machines and templates.
    CLASS_REFERENCE,
    CLASS_GROUP,
    CLASS_EXISTS,
    CLASS_DELETING,
    CLASS_OF_VM,
    PROVIDER_ID_STAYS,
    DURATION,
    NODE_CONDITIONS,
    TAINT,
    TAINT_UNIQUE,
    MACHINE_PRIORITY,
    PRESERVE_VALUE,
    FORCE_DELETION,
    FORCE_DRAIN,
    TIME,
    // Sets and deployments.
    SELECTOR_REQUIRED,
    SELECTOR_SYNTAX,
    SELECTOR_SELECTS_SOMETHING,
    SELECTOR_MATCHES_TEMPLATE,
    SELECTOR_KEEPS_MACHINES,
    TEMPLATE_PROVIDER_ID,
    TEMPLATE_LABEL,
    TEMPLATE_FORCE_DELETION,
    REPLICAS_LEFT_OUT,
    REPLICAS_TO_ZERO,
    AUTOSCALER_SIZE,
    AUTOSCALER_CAPACITY,
    AUTOSCALER_OPTION,
    // Deployments.
    STRATEGY_TYPE,
    STRATEGY_LIMIT,
    STRATEGY_SHARE,
    STRATEGY_CAN_BEGIN,
    STRATEGY_LEFTOVER,
    DEADLINE_AFTER_READY,
    ROLLBACK_WHILE_PAUSED,
    NAME_LABEL,
    SCALE_FROM_ZERO,
    TRIGGER_DELETION,
    MAINTENANCE_WINDOW,
];
