//! A state of the model.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use millwright_api::{Machine, MachineDeployment, MachinePhase, ObjectView};
use millwright_decide::deployment::Fences;
use millwright_decide::preview::World;
use millwright_decide::{NameSource, TargetCluster};

use crate::fixtures::time::at;
use crate::scope::Scope;
use crate::stage::{Action, Stage};

/// Everything that is, and what may still happen.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) stage: Stage,
    /// What the deployment's controller has decided and not yet done.
    pub(crate) pending: VecDeque<Action>,
    pub(crate) changes_left: u8,
    pub(crate) failures_left: u8,
    /// Machines that failed by themselves or were broken from the start.
    pub(crate) failed: u8,
    /// Machines that the autoscaler chose.
    pub(crate) chosen: BTreeSet<String>,
    pub(crate) allowed: Allowed,
}

/// What the specs allow together that were asked for since all was quiet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Allowed {
    pub(crate) most: i32,
    pub(crate) fewest: i32,
    pub(crate) replicas: (i32, i32),
    pub(crate) classes: BTreeSet<String>,
    /// A rollback may bring any class back.
    pub(crate) any_class: bool,
}

impl Allowed {
    fn of(deployment: &MachineDeployment) -> Self {
        let fences = Fences::of(deployment);
        Self {
            most: fences.most(),
            fewest: fences.fewest(),
            replicas: (fences.replicas, fences.replicas),
            classes: [deployment.spec.template.spec.class.name.clone()].into(),
            any_class: false,
        }
    }

    /// Only what the deployment says now.
    pub(crate) fn anew(&self, deployment: &MachineDeployment) -> Self {
        Self::of(deployment)
    }

    pub(crate) fn add(&mut self, fences: Fences, deployment: &MachineDeployment) {
        self.most = self.most.max(fences.most());
        self.fewest = self.fewest.min(fences.fewest());
        self.replicas.0 = self.replicas.0.min(fences.replicas);
        self.replicas.1 = self.replicas.1.max(fences.replicas);
        self.classes.insert(deployment.spec.template.spec.class.name.clone());
        self.any_class |= deployment.spec.rollback_to.is_some();
    }
}

impl State {
    /// A deployment that nobody has looked at yet.
    pub(crate) fn new(scope: &Scope) -> Self {
        let deployment = scope.deployment();
        Self {
            allowed: Allowed::of(&deployment),
            stage: Stage::of(World { deployment: Arc::new(deployment), ..World::default() }),
            pending: VecDeque::new(),
            changes_left: scope.changes,
            failures_left: scope.failures,
            failed: 0,
            chosen: BTreeSet::new(),
        }
    }

    /// Sets that were made later are younger; otherwise time stands still.
    pub(crate) fn now(&self) -> Timestamp {
        at(1000 + i64::try_from(self.stage.real.sets.len()).unwrap_or(0))
    }

    /// Machines that do their work.
    pub(crate) fn running(&self) -> impl DoubleEndedIterator<Item = &Machine> {
        self.stage.real.machines.values().map(|machine| &**machine).filter(|machine| is_available(machine))
    }

    pub(crate) fn living(&self) -> i32 {
        let living = self.stage.real.machines.values().filter(|machine| !machine.is_deleting());
        i32::try_from(living.count()).unwrap_or(i32::MAX)
    }

    /// Machines on their way out, those included that are gone and not known to be.
    pub(crate) fn leaving(&self) -> usize {
        let names = self.stage.machines();
        let worlds = [&self.stage.real, &self.stage.seen];
        let is_leaving = |name: &&String| {
            worlds.iter().any(|world| world.machines.get(*name).is_some_and(|machine| machine.is_deleting()))
        };
        names.iter().filter(is_leaving).count()
    }

    /// Everything is seen, every machine is what it will be, and none is on its way out.
    pub(crate) fn is_quiet(&self) -> bool {
        let real = &self.stage.real;
        self.pending.is_empty()
            && real.machines == self.stage.seen.machines
            && real.deployment == self.stage.seen.deployment
            && real.machines.values().all(|machine| is_available(machine))
            && self.living() == real.deployment.spec.replicas
    }

    /// A machine's VM comes up, or proves to be broken.
    pub(crate) fn boot(&mut self, name: &str, target: TargetCluster) {
        let now = self.now();
        let is_broken =
            self.stage.real.machines.get(name).is_some_and(|machine| machine.spec.class.name == "broken");
        if is_broken {
            self.stage.real.enter(name, MachinePhase::Failed, at(1000));
            self.failed = 1;
        } else {
            self.stage.real.join(name, target, now);
        }
    }
}

/// A machine that works and that nobody asked to go.
pub(crate) fn is_available(machine: &Machine) -> bool {
    let phase = &machine.status.current_status.phase;
    !machine.is_deleting() && matches!(phase, MachinePhase::Running | MachinePhase::Available)
}

/// A machine whose VM is not up yet.
pub(crate) fn is_booting(machine: &Machine) -> bool {
    !machine.is_deleting() && machine.status.current_status.phase == MachinePhase::Empty
}

/// The lowest numbers that no machine has.
pub(crate) struct FreeNames(u32, BTreeSet<String>);

impl FreeNames {
    pub(crate) fn of(stage: &Stage) -> Self {
        let suffix = |name: String| name.rsplit('-').next().unwrap_or_default().to_owned();
        Self(0, stage.machines().into_iter().map(suffix).collect())
    }
}

impl NameSource for FreeNames {
    fn suffix(&mut self) -> String {
        loop {
            self.0 += 1;
            let suffix = format!("{:05}", self.0);
            if !self.1.contains(&suffix) {
                return suffix;
            }
        }
    }
}
