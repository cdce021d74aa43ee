//! What may be written: defaults and validation of the four kinds, and how an update of an object
//! that was already wrong is judged. One implementation for webhook, controller and command line.
//!
//! Pure over (old object, new object, facts): no I/O, no clock, no cloud, and no panic whatever the
//! JSON holds. Objects are looked at as raw JSON, so that a mistake of any shape is reported with its
//! path and fields unknown to us survive. What a provider's part of a class may hold is said by that
//! provider's rules; how a refusal travels to kubectl is the webhook's business.

mod capacity;
mod change;
mod class_change;
mod class_reference;
mod class_users;
mod count;
mod decision;
mod defaulted;
mod defaults;
mod deletion;
mod facts;
mod field;
mod findings;
mod kind;
mod known_fields;
mod machine;
mod machine_class;
mod machine_deployment;
mod machine_set;
mod machine_spec;
mod marks;
mod metadata;
mod nearest;
mod node_template;
mod object_meta;
mod preview;
mod provider_spec;
mod quantity;
mod ratchet;
mod replicas;
mod review;
mod rulebook;
mod rules;
mod scale_from_zero;
mod schema_errors;
mod secret_keys;
mod secret_references;
mod selector;
mod selector_change;
mod shown;
mod spec_path;
mod spec_schema;
mod spelled_as;
mod strategy;
mod syntax;
mod template;
mod unknown_keys;
mod validate;
mod warning;
mod word;

pub use change::{Change, Request};
pub use decision::{Decision, Verdict};
pub use facts::{ClassUser, Facts, Known, NoFacts, SecretFact, Standing, Surroundings};
pub use kind::Kind;
pub use nearest::suggestion;
pub use preview::{Occasion, preview};
pub use review::review;
pub use rulebook::{Rulebook, SchemaError, UnknownProviders};
pub use rules::RULES;
pub use validate::validate;
pub use warning::Warning;
