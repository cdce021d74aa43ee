//! A real control plane on this machine for the demo, the packaged tests and the benches: etcd, kube-apiserver, kube-controller-manager
//! and kube-scheduler, bound to 127.0.0.1, with RBAC on and an identity for each of our components.
//!
//! [`Testbed::start`] makes one, [`Testbed::shared`] one for all tests of a process. Whatever happens to that process, nothing of it stays
//! behind. Our own programs are built by [`build`] and started beside it by [`ours`]; `cargo demo` and `cargo testbed bench` use both.

mod api_server;
mod bench;
mod bench_webhook;
mod binaries;
mod cargo_build;
mod cert_manager;
mod checkout;
pub mod cli;
mod client;
mod clock;
mod cloud;
pub mod demo;
mod end_request;
mod error;
mod flags;
mod folder;
mod guard;
mod household;
mod identity;
mod kubeconfig;
pub mod kubectl;
mod launch;
mod options;
pub mod ours;
pub mod overlay;
mod passage;
mod pki;
mod ports;
mod private_file;
mod probe;
mod process;
mod program;
mod progress;
mod rbac;
mod request_counts;
mod screen;
mod shared;
mod start;
mod testbed;
mod tls;

pub use self::{
    bench::{BenchArguments, BenchError},
    bench_webhook::{WebhookBenchArguments, WebhookBenchError},
    binaries::{Binaries, BinariesError, CacheError, GoError, GoModule, cache_folder},
    cargo_build::{CargoError, Executables, OurProgram, Profile, build, build_controller_with_clouds},
    cert_manager::{CertManager, CertManagerError},
    checkout::root,
    cloud::{Cloud, CloudError, CloudStats, Vm, VmHealth},
    error::Error,
    household::Household,
    identity::Identity,
    kubeconfig::BOOTSTRAP_TOKEN_PLACEHOLDER,
    launch::{LaunchError, Ports, Recipe},
    options::{Audit, Components, Data, NodeMonitoring, Options},
    passage::{Passage, Way},
    pki::CertificateAndKey,
    process::{Ended, Process},
    program::Program,
    progress::{Progress, StandardError},
    request_counts::{RequestCounts, RequestKind},
    testbed::{RunningProgram, Testbed},
};
