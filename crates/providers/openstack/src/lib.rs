//! The provider of OpenStack: Keystone v3, Nova, Neutron, Glance and Cinder.
//!
//! [`OpenStackRules`] is its offline half: schema, defaults, validation, ids. With feature `client` there is
//! [`OpenStackProvider`], which adds the calls. They are plain REST (docs/decisions/0024-openstack-by-plain-rest.md).
//!
//! Nova takes no idempotency key, so a creation first looks whether its VM is there; all that are born or looked at in the same
//! moment share that look.

mod defaults;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read a whole spec"))]
mod gardener;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls look for servers"))]
mod home;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read a whole spec"))]
mod kubermatic;
mod pod_cidr;
mod provider_id;
mod rule_list;
mod rules;
mod schema;
mod scope;
mod secrets;
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read a whole spec"))]
mod spec;
mod validate;
mod volumes;

#[cfg(feature = "client")]
mod client;

#[cfg(feature = "client")]
pub use client::{OpenStackProvider, error_table};
pub use rules::OpenStackRules;
