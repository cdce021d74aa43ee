//! The provider for EC2 of Amazon Web Services.
//!
//! [`AwsRules`] is its offline half: schema, validation, ids. With feature `client` there is [`AwsProvider`], which adds the calls:
//! a birth is one `RunInstances` that is idempotent by the machine's UID, a death one `TerminateInstances`, and what is there is
//! told by one list of the scope for all who ask at the same time.

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
mod provider;

#[cfg(feature = "client")]
pub use provider::AwsProvider;
pub use rules::AwsRules;
