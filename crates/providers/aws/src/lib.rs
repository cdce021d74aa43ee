//! The provider for EC2 of Amazon Web Services.
//!
//! [`AwsRules`] is its offline half: schema, validation, ids. With feature `client` there is [`AwsProvider`], which adds the calls:
//! a birth is one `RunInstances` that is idempotent by the machine's UID, after one list for all births of a moment, a death one `TerminateInstances`, and what is there is
//! told by one list of the scope for all who ask at the same time.

#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls look for VMs"))]
mod home;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read a whole spec"))]
mod kubermatic;
mod login;
mod provider_id;
mod rule_list;
mod rules;
mod schema;
mod scope;
mod secrets;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read a whole spec"))]
mod spec;
mod tag_keys;
mod validate;
mod volumes;

#[cfg(feature = "client")]
mod account;
#[cfg(feature = "client")]
mod accounts;
#[cfg(feature = "client")]
mod annotated_placement;
#[cfg(feature = "client")]
mod api_error;
#[cfg(feature = "client")]
mod attempt;
#[cfg(feature = "client")]
mod belonging;
#[cfg(feature = "client")]
mod create;
#[cfg(feature = "client")]
mod delete;
#[cfg(feature = "client")]
mod earlier;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod find;
#[cfg(feature = "client")]
mod images;
#[cfg(feature = "client")]
mod initialize;
#[cfg(feature = "client")]
mod instances;
#[cfg(feature = "client")]
mod keys;
#[cfg(feature = "client")]
mod list;
#[cfg(feature = "client")]
mod missing_steps;
#[cfg(feature = "client")]
mod parts;
#[cfg(feature = "client")]
mod provider;
#[cfg(feature = "client")]
mod run_instances;
#[cfg(feature = "client")]
mod session;
#[cfg(feature = "client")]
mod status;
#[cfg(feature = "client")]
mod vm;

#[cfg(feature = "client")]
pub use provider::AwsProvider;
pub use rules::AwsRules;
