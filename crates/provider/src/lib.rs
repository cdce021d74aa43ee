//! The contract between millwright and a cloud.
//!
//! [`SpecRules`] is the offline half: pure defaults, validation, schema and id parsing. The webhook
//! links only that. [`Provider`] adds the calls. A provider is stateless apart from caches of its
//! clients, holds no Kubernetes client, never retries by itself and never blocks for longer than the
//! deadline it is given; long work is answered with `InProgress` and an opaque state.
//!
//! What a provider must, may and must not do stands on each method and is checked by the contract
//! suite (feature `contract`). No tokio here: a provider brings its own client.

mod canonical_keys;
mod class_view;
#[cfg(feature = "contract")]
pub mod contract;
mod credentials;
mod deadline;
mod dialect;
mod error;
mod field_error;
mod instance;
mod inventory;
pub mod kubermatic;
mod listed;
mod machine_view;
mod marked;
mod outcome;
mod provider;
mod provider_state;
mod registry;
mod rule;
mod scope;
mod secret_key;
mod spec_rules;
mod user_data;
mod with_rules;

pub use canonical_keys::canonical_keys;
pub use class_view::ClassView;
pub use credentials::Credentials;
pub use deadline::Deadline;
pub use dialect::Dialect;
pub use error::{Heard, ProviderError};
pub use field_error::{FieldError, FieldErrorKind};
pub use instance::{Initialization, Instance, Power};
pub use inventory::Inventory;
pub use listed::{LeftoverKind, Listed, ListedKind};
pub use machine_view::MachineView;
pub use marked::Marked;
pub use outcome::{CreateOutcome, DeleteOutcome};
pub use provider::{DeleteRequest, Provider, Target};
pub use provider_state::{ProviderState, StateTooLarge};
pub use registry::{NameTaken, Registry, UnknownProvider};
pub use rule::{Rule, RuleId, Severity};
pub use scope::Scope;
pub use secret_key::{Requirement, SecretKey};
pub use spec_rules::SpecRules;
pub use user_data::UserData;
pub use with_rules::WithRules;
