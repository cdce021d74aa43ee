//! A simulated cloud: a real HTTP server with VMs, NICs, disks, quotas and faults of its own.
//!
//! Its VMs go as far as they can without a hypervisor: they read their user data, get a client certificate from
//! their cluster, register as a node and behave as one. The demo, the tests and the benches use it as their cloud;
//! `crates/providers/local` is the provider for it. It decides nothing about machines.
//!
//! [`SimCloud::start`] runs one inside a test; the program `simcloud` runs one by itself. [`Cloud`] is the
//! operator's handle, the HTTP API under `/v1/` everybody else's.

mod api;
mod boot;
mod catalog;
mod clock;
mod cloud;
mod config;
mod console;
mod disk;
mod environment;
mod fault;
mod faults;
mod flags;
mod gate;
mod guest;
mod guests;
mod health;
mod identity;
mod inventory;
mod journal;
mod kube;
mod kubeconfig;
mod nic;
mod operation;
mod order;
mod orders;
mod quota;
mod random;
mod refusal;
mod secret;
mod settings;
mod simcloud;
mod stats;
mod userdata;
mod vm;

pub use crate::boot::{Boot, BootMode, Phase};
pub use crate::catalog::{Catalog, Image, Size, Zone};
pub use crate::cloud::{Cloud, Outcome};
pub use crate::config::Config;
pub use crate::disk::{Disk, DiskKind};
pub use crate::fault::{Effect, Fault};
pub use crate::faults::ArmedFault;
pub use crate::flags::{Flags, FlagsError};
pub use crate::health::{Health, State};
pub use crate::inventory::{CreateDisk, CreateVm, Filter, IfNameTaken, LeftBehind, Page, StateFileError};
pub use crate::journal::JournalEntry;
pub use crate::kubeconfig::KubeconfigError;
pub use crate::nic::Nic;
pub use crate::operation::Operation;
pub use crate::order::{Order, OrderKind, OrderState};
pub use crate::quota::{Quota, Scarcity};
pub use crate::refusal::{Code, Refusal};
pub use crate::secret::Secret;
pub use crate::settings::{Settings, SettingsError};
pub use crate::simcloud::{Running, SimCloud, StartError};
pub use crate::stats::Stats;
pub use crate::vm::{Power, VmView};
