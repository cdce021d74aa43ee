//! A leader that is stopped as a whole at each of its requests, for longer than its lease; another one takes over, and the first
//! wakes up and believes for a moment that it still leads.
//!
//! The first one has a thread and a clock of its own: falling asleep blocks the thread, and the clock has gone on when it wakes.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use millwright_controller::RunError;

use crate::world::objects;
use crate::world::{EndState, Logged, Point, Setting, Signature, Sleep, World, in_world};

/// Longer than a lease (15 s), and less than a request to an API server may take (30 s), so that an answer still counts.
const SLEEP: Duration = Duration::from_secs(25);
/// A token whose creation was on the wire already is for nobody; it ends by itself.
const UNTIL_TOKENS_END: Duration = Duration::from_secs(400);
/// Real time within which a thread must have come so far.
const REAL_PATIENCE: Duration = Duration::from_secs(60);

fn setting() -> Setting {
    Setting::default().with("--machine-creation-timeout=5m")
}

/// What the leader is in the midst of.
#[derive(Clone, Copy, Debug)]
enum Work {
    Births,
    Deaths,
}

impl Work {
    /// What there is to do for the leader that starts now.
    async fn prepare(self, world: &World) {
        world.apply(objects::secret());
        world.apply(objects::class(objects::CLASS));
        world.apply(objects::machine("solo"));
        world.apply(objects::deployment("pool", 2));
        if matches!(self, Self::Deaths) {
            let before = world.controller("c0");
            world.until_running(3).await;
            world.rest(Duration::from_secs(10)).await;
            before.stop().await.unwrap();
            world.delete("machines", "solo");
            world.delete("machinedeployments", "pool");
        }
    }

    /// Of deaths every moment with `SIMULATED_FULL=1`, else those of writes.
    fn counts(self, point: &Point) -> bool {
        matches!(self, Self::Births)
            || point.signature.is_write
            || std::env::var_os("SIMULATED_FULL").is_some()
    }

    /// It is done; of births what the leader alone can do, without any kubelet.
    async fn until_over(self, world: &World) {
        match self {
            Self::Births => world.until("three VMs are there", || world.cloud.vms().len() == 3).await,
            Self::Deaths => self.until_done(world).await,
        }
    }

    async fn until_done(self, world: &World) {
        match self {
            Self::Births => world.until_running(3).await,
            Self::Deaths => {
                let gone = |resource: &str| world.operator.list(resource).is_empty();
                world.until("no machine is left", || gone("machines") && gone("machinedeployments")).await;
            }
        }
    }
}

/// What a leader asks from its start until its work is over.
fn points(work: Work) -> Vec<Point> {
    let played = in_world(setting(), move |world| async move {
        work.prepare(&world).await;
        let controller = world.controller("c1");
        work.until_over(&world).await;
        world.rest(Duration::from_secs(1)).await;
        drop(controller);
    });
    let log: Vec<Logged> = played.log.iter().filter(|logged| logged.who == "c1").cloned().collect();
    played.clean();
    // Who has not listed yet does not lead.
    let leads = log.iter().position(|logged| logged.point.signature.is_list()).unwrap();
    log[leads..]
        .iter()
        .map(|logged| logged.point.clone())
        .filter(|point| !point.signature.text.starts_with("watch") && work.counts(point))
        .collect()
}

/// A controller in a thread and a runtime of its own.
fn elsewhere(world: &Arc<World>, who: &'static str) -> JoinHandle<Result<(), RunError>> {
    let (kube, sky, flags) = (world.kube.clone(), world.sky.clone(), world.setting.flags.clone());
    let passed = world.conductor.elapsed();
    std::thread::spawn(move || {
        // Timers are looked at only when nothing else is left to do, so that what was under way goes on before the election
        // notices anything: the worst order that several threads could bring about.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .event_interval(u32::MAX)
            .build()
            .unwrap();
        runtime.block_on(async {
            // Its clock knows nothing of the time that has been simulated so far.
            tokio::time::advance(passed).await;
            let mut process = crate::world::ControllerProcess::start(who, &kube, &sky, &flags);
            // It ends when it finds its lease lost; were it not to, it must not run for ever.
            tokio::time::timeout(Duration::from_secs(3600), process.ended()).await.unwrap_or(Ok(()))
        })
    })
}

/// Lets the first leader sleep at that request, and yields what there is in the end.
async fn overslept(world: Arc<World>, work: Work, point: Point) -> EndState {
    work.prepare(&world).await;
    let (wake, woken): (Sender<()>, _) = channel();
    let (asleep, fell_asleep) = channel();
    world.conductor.put_to_sleep(Sleep { who: "c1".into(), point, asleep, wake: woken, slept: SLEEP });
    let first = elsewhere(&world, "c1");
    fell_asleep.recv_timeout(REAL_PATIENCE).expect("the first leader never sent that request");

    let second = world.controller("c2");
    work.until_done(&world).await;
    let before = world.conductor.log().len();
    // What had left it before it fell asleep arrives whoever leads.
    let on_the_wire = world.conductor.on_the_wire("c1");
    wake.send(()).unwrap();
    let ended = first.join().unwrap();
    assert!(
        matches!(ended, Err(RunError::LeaseLost { .. })),
        "it must notice that it leads no more: {ended:?}"
    );
    let log = world.conductor.log();
    // The deletion of a VM takes several requests, and one that has begun goes on: its machine is being deleted whoever leads,
    // and no other VM ever gets its id.
    let ends_a_vm =
        |signature: &Signature| matches!(work, Work::Deaths) && signature.text.starts_with("delete cloud ");
    let wrote = |logged: &&Logged| {
        let signature = &logged.point.signature;
        logged.who == "c1" && signature.is_write && !ends_a_vm(signature)
    };
    let woke: Vec<String> =
        log[before..].iter().filter(wrote).map(|logged| logged.point.to_string()).collect();
    if woke.len() > on_the_wire {
        world.conductor.broken(format!("the sleeper wrote when it woke: {woke:?}"));
    }
    world.rest(UNTIL_TOKENS_END).await;
    drop(second);
    EndState::of(&world)
}

fn oversleep(work: Work) {
    let began = Instant::now();
    let points = points(work);
    let expected = in_world(setting(), move |world| async move {
        work.prepare(&world).await;
        let controller = world.controller("c2");
        work.until_done(&world).await;
        world.rest(UNTIL_TOKENS_END).await;
        drop(controller);
        EndState::of(&world)
    });
    let expected = expected.clean();
    let mut failed = Vec::new();
    for point in &points {
        let at = point.clone();
        let played = in_world(setting(), move |world| overslept(world, work, at));
        let mut wrong = played.broken.clone();
        // What was on the wire already arrives whoever leads: one machine more, for a moment.
        if point.signature.text.starts_with("create machines") {
            wrong.retain(|text| !text.starts_with("I3: "));
        }
        if let Some(state) = &played.yielded
            && *state != expected
        {
            wrong.push(format!("differs: {}", state.difference(&expected)));
        }
        if !wrong.is_empty() {
            failed.push(format!("asleep at {point}: {}\n{}", wrong.join("; "), played.report));
        }
    }
    println!(
        "a leader overslept {work:?}: {} moments, {} failed, {:.1} s",
        points.len(),
        failed.len(),
        began.elapsed().as_secs_f64()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn a_leader_that_overslept_its_lease_writes_nothing_when_it_wakes() {
    oversleep(Work::Births);
}

#[test]
fn a_leader_that_overslept_its_lease_amid_deaths_writes_nothing_when_it_wakes() {
    oversleep(Work::Deaths);
}
