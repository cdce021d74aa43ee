//! A stand-in for Azure: Resource Manager for compute, network, resource groups and marketplace agreements, with the token
//! endpoints of Microsoft Entra and of the instance metadata service.
//!
//! It keeps state, and its long-running operations are those of Resource Manager: 201 with `Azure-AsyncOperation`, 202 with
//! `Location`, `provisioningState`, a status document that ends with an error. It was written from the published reference of the API,
//! not from the provider that it judges. Every request body is also put before Microsoft's generated models ([`Models`]): what they do
//! not know is refused, and remembered as a violation, so that a test can fail for it.
//!
//! VMs do not boot here, nothing is billed, and no limit is enforced unless a test scripts it.

mod account;
mod addresses;
mod arm_error;
mod body;
mod catalogue;
mod clock;
mod disks;
mod entra;
mod fake;
mod faults;
mod immutable;
mod interfaces;
mod journal;
mod location;
mod models;
mod operation;
mod parts;
mod placing;
mod reply;
mod request;
mod resource;
mod route;
mod server;
mod settings;
mod tags;
mod virtual_machines;
mod vm_delete;
mod vm_rules;

pub use arm_error::ArmError;
pub use fake::{FakeAzure, Stock};
pub use faults::{AzureFault, Misfortune, Strikes};
pub use journal::Entry;
pub use models::{Models, ModelsError};
pub use placing::NewVm;
pub use settings::{Image, Settings};
