//! The provider for Google Compute Engine.
//!
//! [`GcpRules`] is its offline half: schema, defaults, validation, ids. With feature `client` there is [`GcpProvider`], which
//! adds the calls: thin REST over `cloud-http`, because the vendor's generated client is large and hides what is sent.
//! A birth is one `instances.insert`, a death one look and one `instances.delete`; what they wait for is seen in lists that
//! all machines of a zone share.

mod account;
mod defaults;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls look for VMs"))]
mod home;
mod kubermatic;
mod names;
mod own_labels;
mod provider_id;
mod rule_list;
mod rules;
mod schema;
mod scope;
mod secrets;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls need all of it"))]
mod spec;
mod validate;
mod volumes;

#[cfg(feature = "client")]
mod assertion;
#[cfg(feature = "client")]
mod belonging;
#[cfg(feature = "client")]
mod clock;
#[cfg(feature = "client")]
mod create;
#[cfg(feature = "client")]
mod delete;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod exchange;
#[cfg(feature = "client")]
mod insertion;
#[cfg(feature = "client")]
mod list;
#[cfg(feature = "client")]
mod progress;
#[cfg(feature = "client")]
mod provider;
#[cfg(feature = "client")]
mod request_id;
#[cfg(feature = "client")]
mod session;
#[cfg(feature = "client")]
mod status;
#[cfg(feature = "client")]
mod tokens;
#[cfg(feature = "client")]
mod wire;
#[cfg(feature = "client")]
mod zone_lists;

#[cfg(feature = "client")]
pub use errors::ERRORS;
#[cfg(feature = "client")]
pub use provider::GcpProvider;
pub use rules::GcpRules;
