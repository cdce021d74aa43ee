//! The provider for Microsoft Azure.
//!
//! [`AzureRules`] is its offline half: schema, defaults, validation, ids. With feature `client` there is [`AzureProvider`],
//! which calls Azure Resource Manager. A birth is one PUT of the network interface and one of the VM, a death one DELETE;
//! how far long operations are is read from lists that all machines of a resource group share.

mod cloud;
mod defaults;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "the calls read what it reads"))]
mod gardener;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls look for VMs"))]
mod home;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "the calls read what it reads"))]
mod kubermatic;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls name parts of a VM"))]
mod names;
mod provider_id;
mod rule_list;
mod rules;
mod schema;
mod scope;
mod secrets;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "the calls read it"))]
mod spec;
mod urn;
mod validate;
mod volumes;

#[cfg(feature = "client")]
mod account;
#[cfg(feature = "client")]
mod arm;
#[cfg(feature = "client")]
mod belonging;
#[cfg(feature = "client")]
mod body;
#[cfg(feature = "client")]
mod create;
#[cfg(feature = "client")]
mod delete;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod inventory;
#[cfg(feature = "client")]
mod leftovers;
#[cfg(feature = "client")]
mod list;
#[cfg(feature = "client")]
mod marketplace;
#[cfg(feature = "client")]
mod progress;
#[cfg(feature = "client")]
mod provider;
#[cfg(feature = "client")]
mod session;
#[cfg(feature = "client")]
mod ssh_key;
#[cfg(feature = "client")]
mod status;
#[cfg(feature = "client")]
mod token;
#[cfg(feature = "client")]
mod wire;

pub use cloud::Cloud;
#[cfg(feature = "client")]
pub use errors::ROWS as ERROR_ROWS;
#[cfg(feature = "client")]
pub use provider::AzureProvider;
pub use rules::AzureRules;
