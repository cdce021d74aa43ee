//! The calls: what is known of a cloud for each credential, and a verb a file.

mod calls;
mod catalogue;
mod cinder;
mod cloud;
mod clouds;
mod create;
mod delete;
mod errors;
mod find;
mod identity;
mod initialize;
mod list;
mod list_page;
mod lookup;
mod neutron;
mod nova;
mod order;
mod pairs;
mod port;
mod provider;
mod refusal;
mod root_volume;
mod service;
mod state;
mod status;
mod token;

pub use errors::error_table;
pub use provider::OpenStackProvider;
