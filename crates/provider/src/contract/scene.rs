//! One fresh cloud with its provider, and the calls that the points make of them.
//!
//! Plays the host's part: keeps state between calls and comes back while an operation goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use millwright_api::MachineCode;
use serde_json::Value;

use super::{Bench, Broken, Census, Effect, Fault, Operation, PlacedVm, ScriptedCloud, When, expect_that};
use super::{Call, Owner};
use crate::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, Instance,
    Inventory, Listed, ListedKind, MachineView, Provider, ProviderError, Target, UserData,
};

/// More than any stand-in needs on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bounds the wait between two calls of one operation: a stand-in is faster than the cloud it stands for.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// After so many calls an operation counts as endless.
const MOST_CALLS: usize = 500;

pub(super) const USER_DATA: &str = "#cloud-config\n# made for one machine: abcdef.0123456789abcdef\n";

pub(super) struct Scene {
    pub(super) cloud: Box<dyn ScriptedCloud>,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) spec: Value,
    pub(super) credentials: Credentials,
    pub(super) patience: Duration,
}

/// A machine without a VM. Names of different numbers are prefixes of each other.
pub(super) fn machine(number: u32) -> MachineView {
    MachineView {
        name: format!("pool-a-contract-{}", "x".repeat(number as usize)),
        namespace: "contract".into(),
        uid: Some(format!("00000000-0000-4000-8000-{number:012}")),
        ..MachineView::default()
    }
}

/// What is left of a machine whose object is gone: an orphan.
pub(super) fn orphan(name: &str, provider_id: &str) -> MachineView {
    MachineView {
        name: name.to_owned(),
        namespace: "contract".into(),
        provider_id: Some(provider_id.to_owned()),
        ..MachineView::default()
    }
}

impl Scene {
    pub(super) async fn set(bench: &dyn Bench) -> Self {
        let cloud = bench.fresh_cloud().await;
        Self {
            provider: cloud.provider(),
            spec: cloud.spec(),
            credentials: cloud.credentials(),
            cloud,
            patience: PATIENCE,
        }
    }

    pub(super) fn class(&self) -> ClassView<'_> {
        class_of(&self.spec)
    }

    pub(super) fn target<'a>(&'a self, machine: &'a MachineView) -> Target<'a> {
        Target {
            class: self.class(),
            machine,
            credentials: &self.credentials,
            deadline: Deadline::after(Instant::now(), self.patience),
        }
    }

    pub(super) async fn strike(&self, call: Call, when: When, effect: Effect) {
        self.cloud.set_fault(Fault { call, when, effect }).await;
    }

    /// Creates until the VM is there. The machine remembers what a host would have written down.
    pub(super) async fn create(&self, machine: &mut MachineView) -> Result<Instance, ProviderError> {
        self.create_with(machine, &UserData::new(USER_DATA.to_owned())).await
    }

    pub(super) async fn create_with(
        &self,
        machine: &mut MachineView,
        user_data: &UserData,
    ) -> Result<Instance, ProviderError> {
        for _ in 0..MOST_CALLS {
            match self.provider.create(self.target(machine), user_data).await {
                Ok(CreateOutcome::Created(instance)) => {
                    machine.state = None;
                    return Ok(instance);
                }
                Ok(CreateOutcome::InProgress { provider_id, state, retry_after }) => {
                    machine.provider_id = provider_id.or_else(|| machine.provider_id.take());
                    machine.state = Some(state);
                    tokio::time::sleep(retry_after.min(LONGEST_PAUSE)).await;
                }
                Err(error) => {
                    machine.state = error.state.clone().or_else(|| machine.state.take());
                    return Err(error);
                }
            }
        }
        Err(endless("create"))
    }

    pub(super) async fn delete(&self, machine: &mut MachineView) -> Result<(), ProviderError> {
        self.delete_but_keep(machine, &[]).await
    }

    pub(super) async fn delete_but_keep(
        &self,
        machine: &mut MachineView,
        keep_volumes: &[String],
    ) -> Result<(), ProviderError> {
        for _ in 0..MOST_CALLS {
            let request = DeleteRequest { target: self.target(machine), keep_volumes };
            match self.provider.delete(request).await {
                Ok(DeleteOutcome::Gone) => return Ok(()),
                Ok(DeleteOutcome::Unproven) => {
                    if !Inventory::of(self.list().await?, &*self.provider).holds_any_of(machine) {
                        return Ok(());
                    }
                    tokio::time::sleep(LONGEST_PAUSE).await;
                }
                Ok(DeleteOutcome::InProgress { state, retry_after }) => {
                    machine.state = Some(state);
                    tokio::time::sleep(retry_after.min(LONGEST_PAUSE)).await;
                }
                Err(error) => {
                    machine.state = error.state.clone().or_else(|| machine.state.take());
                    return Err(error);
                }
            }
        }
        Err(endless("delete"))
    }

    pub(super) async fn status(&self, machine: &MachineView) -> Result<Instance, ProviderError> {
        self.provider.status(self.target(machine)).await
    }

    pub(super) async fn list(&self) -> Result<Vec<Listed>, ProviderError> {
        let deadline = Deadline::after(Instant::now(), self.patience);
        self.provider.list(self.class(), &self.credentials, deadline).await
    }

    /// One call of the operation, about machines that fit it: `absent` has no VM, `present` has one.
    pub(super) async fn perform(
        &self,
        operation: Operation,
        absent: &MachineView,
        present: &MachineView,
    ) -> Result<(), ProviderError> {
        match operation {
            Operation::Create => self.create(&mut absent.clone()).await.map(drop),
            Operation::Status => self.status(present).await.map(drop),
            Operation::Delete => self.delete(&mut present.clone()).await,
            Operation::List => self.list().await.map(drop),
        }
    }

    /// A machine with its VM, which must succeed.
    pub(super) async fn born(&self, number: u32) -> Result<(MachineView, Instance), Broken> {
        let mut machine = machine(number);
        let instance = must("create", self.create(&mut machine).await)?;
        machine.provider_id = Some(instance.provider_id.clone());
        machine.node_name = Some(instance.node_name.clone());
        Ok((machine, instance))
    }

    /// A VM that the test puts there itself; `None` when the cloud can not hold it.
    pub(super) async fn place(&self, name: &str, uid: Option<&str>, owner: Owner) -> Option<String> {
        let vm = PlacedVm { name: name.to_owned(), uid: uid.map(str::to_owned), owner };
        self.cloud.place_vm(&vm).await
    }

    pub(super) async fn expect_census(&self, wanted: Census, after: &str) -> Result<(), Broken> {
        let seen = self.cloud.census().await;
        expect_that(seen == wanted, || format!("{after} there must be {wanted}, there are {seen}"))
    }

    /// Ids of the listed VMs, sorted.
    pub(super) async fn listed_vms(&self) -> Result<Vec<String>, Broken> {
        let listed = must("list", self.list().await)?;
        let vms = listed.into_iter().filter(|entry| entry.kind == ListedKind::Vm);
        let mut ids: Vec<String> = vms.map(|entry| entry.id).collect();
        ids.sort();
        Ok(ids)
    }
}

pub(super) fn class_of(spec: &Value) -> ClassView<'_> {
    ClassView {
        dialect: Dialect::Gardener,
        name: "contract",
        namespace: "contract",
        spec,
        node_template: None,
    }
}

/// The value of a call that had no reason to fail.
pub(super) fn must<T>(what: &str, outcome: Result<T, ProviderError>) -> Result<T, Broken> {
    outcome.map_err(|error| Broken(format!("{what} must succeed here; it said {error}")))
}

/// The error of a call that had to fail with this code.
pub(super) fn must_fail<T>(
    what: &str,
    code: MachineCode,
    outcome: Result<T, ProviderError>,
) -> Result<ProviderError, Broken> {
    match outcome {
        Err(error) if error.code == code => Ok(error),
        Err(error) => Err(Broken(format!("{what} must fail with {code}; it failed with {error}"))),
        Ok(_) => Err(Broken(format!("{what} must fail with {code}; it succeeded"))),
    }
}

fn endless(what: &str) -> ProviderError {
    ProviderError::new(
        MachineCode::Internal,
        format!("{what} was still in progress after {MOST_CALLS} calls"),
    )
}
