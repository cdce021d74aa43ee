//! A world: a simulated API server that is control and target cluster at once, the simulated cloud, what happens there by itself,
//! and a controller that is started again when it dies.

mod availability;
mod belongings;
mod call;
mod conductor;
mod end_state;
mod invariants;
mod journal;
mod kubelets;
pub(crate) mod objects;
mod process;
mod sky;

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt as _;
use millwright_simcloud::{Cloud, Config, DiskKind, SimCloud};
use millwright_simkube::{Operator, SimKube};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

pub(crate) use call::{Party, Point, Signature};
pub(crate) use conductor::{CloudFault, Conductor, Logged, Moment, Plan, Sleep, Strike};
pub(crate) use end_state::EndState;
pub(crate) use process::ControllerProcess;

use invariants::{Credentials, Invariants};
use journal::Journal;
use kubelets::{Kubelets, UserData};
use sky::{Sky, When};

/// From a crash to the next start.
const DOWN: Duration = Duration::from_secs(2);
/// Simulated time in which anything must have come to its end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(4 * 3600);

/// How a world is set up.
#[derive(Clone, Default)]
pub(crate) struct Setting {
    pub(crate) plan: Plan,
    /// Flags of the controller.
    pub(crate) flags: Vec<String>,
    /// How long the cloud goes on with a creation or deletion that it accepted; without it, it does everything at once.
    pub(crate) order_seconds: Option<f64>,
}

impl Setting {
    /// One that knows no other controller, so that no lease has to be waited for after a crash.
    pub(crate) fn alone(plan: Plan) -> Self {
        Self { plan, flags: vec!["--leader-elect=false".to_owned()], ..Self::default() }
    }

    pub(crate) fn with(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }
}

pub(crate) struct World {
    pub(crate) kube: SimKube,
    pub(crate) operator: Operator,
    pub(crate) cloud: Cloud,
    pub(crate) sky: Sky,
    pub(crate) conductor: Conductor,
    pub(crate) invariants: Invariants,
    /// VMs of these names never become nodes.
    pub(crate) mute: Arc<Mutex<Vec<String>>>,
    pub(crate) changed: Arc<Notify>,
    pub(crate) journal: Journal,
    pub(crate) setting: Setting,
    actors: Vec<JoinHandle<()>>,
    supervisor: Mutex<Option<JoinHandle<()>>>,
    /// Actions of all controllers so far.
    actions: Arc<Mutex<BTreeMap<String, u64>>>,
    starts: Arc<Mutex<usize>>,
}

impl World {
    fn new(setting: Setting) -> (Self, tracing::subscriber::DefaultGuard) {
        let conductor = Conductor::new(setting.plan.clone());
        let credentials = Credentials::new();
        let journal = Journal::new(&credentials, &conductor);
        let subscriber = tracing_subscriber::fmt()
            .with_writer(journal.clone())
            .with_ansi(false)
            .without_time()
            .with_max_level(if std::env::var_os("SIMULATED_DEBUG").is_some() {
                tracing::Level::DEBUG
            } else {
                tracing::Level::INFO
            })
            .finish();
        let logging = tracing::subscriber::set_default(subscriber);

        let kube = SimKube::new();
        let clock = kube.clone();
        let mut config = Config::new(objects::TOKEN);
        config.settings.order_seconds = setting.order_seconds;
        let (cloud, router) = SimCloud::in_process(config, move || clock.now()).unwrap();
        let changed = Arc::new(Notify::new());
        let sky = Sky::new(cloud.clone(), router, conductor.clone(), changed.clone());
        let invariants = Invariants::new(&kube, &cloud, &conductor, &credentials, &journal);
        let seen = invariants.clone();
        let (watched, told) = (kube.clone(), conductor.clone());
        kube.observe(move |write| {
            seen.written(write);
            told.written(write.resource, &watched);
        });
        kube.set_gate(Arc::new(conductor.clone()));
        let user_data = UserData::default();
        let (seen, texts) = (invariants.clone(), user_data.clone());
        sky.watch(Arc::new(move |when, request| {
            if when == When::Before {
                remember_user_data(&texts, request.body());
            }
            seen.called(when, request);
        }));
        let mute = Arc::default();
        let kubelets = Kubelets {
            kube: kube.clone(),
            cloud: cloud.clone(),
            user_data,
            changed: changed.clone(),
            mute: Arc::clone(&mute),
            due: HashMap::new(),
            joined: Default::default(),
        };
        let actors = vec![tokio::spawn(kubelets.run()), tokio::spawn(invariants.clone().watch_the_unowned())];
        let world = Self {
            operator: kube.operator(),
            kube,
            cloud,
            sky,
            conductor,
            invariants,
            mute,
            changed,
            journal,
            setting,
            actors,
            supervisor: Mutex::default(),
            actions: Arc::default(),
            starts: Arc::default(),
        };
        (world, logging)
    }

    /// A controller of that name, which nobody starts again.
    pub(crate) fn controller(&self, who: &str) -> ControllerProcess {
        ControllerProcess::start(who, &self.kube, &self.sky, &self.setting.flags)
    }

    /// Starts the controller, and a new one whenever it dies.
    pub(crate) fn start(&self) {
        let (kube, sky, conductor) = (self.kube.clone(), self.sky.clone(), self.conductor.clone());
        let (flags, actions, starts) =
            (self.setting.flags.clone(), self.actions.clone(), self.starts.clone());
        let supervise = async move {
            loop {
                let who = {
                    let mut starts = starts.lock();
                    *starts += 1;
                    format!("c{starts}")
                };
                let mut process = ControllerProcess::start(&who, &kube, &sky, &flags);
                tokio::select! {
                    () = conductor.crashed() => {}
                    ended = process.ended() => {
                        if let Err(error) = ended {
                            tracing::error!(%error, "the controller ended");
                        }
                    }
                }
                conductor.silence(&who);
                for (action, count) in process.actions() {
                    *actions.lock().entry(action).or_default() += count;
                }
                drop(process);
                tokio::time::sleep(DOWN).await;
            }
        };
        let before = self.supervisor.lock().replace(tokio::spawn(supervise));
        assert!(before.is_none(), "the controller was started twice");
    }

    /// Kills the controller; it is started again after a while.
    pub(crate) fn kill(&self) {
        let who = format!("c{}", *self.starts.lock());
        self.conductor.dies(&who);
    }

    /// How many controllers there were.
    pub(crate) fn starts(&self) -> usize {
        *self.starts.lock()
    }

    pub(crate) fn apply(&self, object: Value) -> Value {
        self.operator.apply(object).unwrap()
    }

    pub(crate) fn machine(&self, name: &str) -> Option<Value> {
        self.operator.get("machines", objects::NAMESPACE, name)
    }

    pub(crate) fn phase(&self, name: &str) -> String {
        let machine = self.machine(name).unwrap_or_default();
        machine["status"]["currentStatus"]["phase"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn delete(&self, resource: &str, name: &str) {
        // One that is gone already needs no deletion.
        let _ = self.operator.delete(resource, objects::NAMESPACE, name);
    }

    /// Waits until something holds, and panics when it never does.
    pub(crate) async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let began = Instant::now();
        let mut pause = Duration::from_millis(200);
        while !holds() {
            assert!(began.elapsed() < PATIENCE, "never came true: {what}");
            tokio::time::sleep(pause).await;
            pause = (pause * 5 / 4).min(Duration::from_secs(10));
        }
    }

    /// Lets time pass.
    pub(crate) async fn rest(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// Every machine runs and there are that many.
    pub(crate) async fn until_running(&self, count: usize) {
        self.until(&format!("{count} machines run"), || {
            let machines = self.operator.list("machines");
            machines.len() == count
                && machines.iter().all(|machine| machine["status"]["currentStatus"]["phase"] == "Running")
        })
        .await;
    }

    /// Nothing is left of any machine.
    pub(crate) async fn until_empty(&self) {
        self.until("nothing is left", || {
            ["machines", "machinesets", "machinedeployments", "machineclasses", "nodes"]
                .iter()
                .all(|resource| self.operator.list(resource).is_empty())
                && self.cloud.vms().is_empty()
                && self.cloud.nics().is_empty()
                && self.cloud.disks().iter().all(|disk| disk.kind == DiskKind::Volume)
                && self.tokens().is_empty()
        })
        .await;
    }

    /// Names of the bootstrap tokens that exist.
    pub(crate) fn tokens(&self) -> Vec<String> {
        let secrets = self.operator.list("secrets");
        let names = secrets.iter().filter_map(|secret| secret["metadata"]["name"].as_str());
        names.filter(|name| name.starts_with("bootstrap-token-")).map(str::to_owned).collect()
    }

    /// Requests of all controllers so far, the writes alone.
    pub(crate) fn writes(&self) -> Vec<Logged> {
        self.conductor.log().into_iter().filter(|logged| logged.point.signature.is_write).collect()
    }

    /// Nothing is written in an hour at rest, and what must hold has held.
    pub(crate) async fn must_rest(&self) {
        let before = self.writes().len();
        self.rest(Duration::from_secs(3600)).await;
        let after = self.writes();
        if after.len() > before {
            let texts: Vec<String> = after[before..].iter().map(|logged| logged.point.to_string()).collect();
            self.conductor.broken(format!("I8: written at rest: {texts:?}"));
        }
    }

    /// Each orphan VM that was deleted has its event.
    fn check_orphans(&self) {
        let events = self.operator.list("events");
        let is_told = |id: &String| {
            events.iter().any(|event| {
                (event["reason"] == "FoundOrphan" || event["reason"] == "DeletedOrphan")
                    && event["message"].as_str().is_some_and(|message| message.contains(id.as_str()))
            })
        };
        for id in self.invariants.orphans.lock().iter().filter(|id| !is_told(id)) {
            self.conductor.broken(format!("I10: orphan VM {id} was deleted and no event says so"));
        }
    }

    /// What went wrong in this run, with the last that happened.
    pub(crate) fn report(&self) -> String {
        let log = self.conductor.log();
        let tail = log
            .iter()
            .rev()
            .take(40)
            .rev()
            .map(|logged| format!("{:>9.3} {} {}", logged.at.as_secs_f64(), logged.who, logged.point));
        let machines = self.operator.list("machines").into_iter().map(|machine| {
            format!(
                "{} {} {}",
                machine["metadata"]["name"], machine["metadata"]["deletionTimestamp"], machine["status"]
            )
        });
        let vms = self.cloud.vms().into_iter().map(|vm| format!("VM {} {} {}", vm.id, vm.name, vm.phase));
        let parts: Vec<String> = tail
            .chain(["--- machines and VMs".to_owned()])
            .chain(machines)
            .chain(vms)
            .chain(["--- log".to_owned()])
            .chain(self.journal.lines())
            .collect();
        parts.join("\n")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.actors.iter().for_each(JoinHandle::abort);
        if let Some(supervisor) = self.supervisor.lock().take() {
            supervisor.abort();
        }
    }
}

fn remember_user_data(texts: &UserData, body: &[u8]) {
    let Ok(request) = serde_json::from_slice::<Value>(body) else { return };
    if let (Some(name), Some(data)) = (request["name"].as_str(), request["userData"].as_str()) {
        let text = String::from_utf8(STANDARD.decode(data).unwrap()).unwrap();
        texts.lock().insert(name.to_owned(), text);
    }
}

/// Plays something in a world of its own, in a runtime of its own whose time is paused. What it yields, and what did not hold.
pub(crate) fn in_world<T, P>(setting: Setting, play: impl FnOnce(Arc<World>) -> P) -> Played<T>
where
    P: Future<Output = T>,
{
    // Only the first of the tests in this process installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let (world, _logging) = World::new(setting);
        let world = Arc::new(world);
        let yielded = AssertUnwindSafe(play(world.clone())).catch_unwind().await;
        world.check_orphans();
        let mut broken = world.conductor.all_broken();
        if let Err(panic) = &yielded {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            broken.push(text.unwrap_or_default());
        }
        Played {
            yielded: yielded.ok(),
            report: if broken.is_empty() { String::new() } else { world.report() },
            broken,
            log: world.conductor.log(),
            events: world.conductor.events(),
            struck: world.conductor.struck(),
            simulated: world.conductor.elapsed(),
        }
    })
}

/// What came of a run.
pub(crate) struct Played<T> {
    /// Nothing when it panicked.
    pub(crate) yielded: Option<T>,
    pub(crate) broken: Vec<String>,
    pub(crate) report: String,
    pub(crate) log: Vec<Logged>,
    /// How often an object of each kind was written.
    pub(crate) events: HashMap<String, usize>,
    pub(crate) struck: usize,
    pub(crate) simulated: Duration,
}

impl<T> Played<T> {
    /// Everything held.
    pub(crate) fn clean(self) -> T {
        assert!(self.broken.is_empty(), "{}\n{}", self.broken.join("\n"), self.report);
        self.yielded.unwrap()
    }
}
