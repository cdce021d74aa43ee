use super::*;

mod api_server;

use millwright_decide::freeze::FreezeSettings;
use millwright_provider::{Listed, ListedKind};
use tokio::task::JoinSet;

use crate::client::{ControlClient, TargetClient};
use crate::events::{EventMetrics, events};
use crate::fake::{FakeCloud, FakeServer, class, fleet, machine};
use crate::feed::feed;
use crate::leader::Leadership;
use crate::orphans::{OrphanMode, OrphanSettings, collect_orphans};
use crate::reconcile::{reconcile_deployment, reconcile_machine};
use crate::watch::WatchMetrics;
use api_server::{ApiServer, Mood};

const SETTINGS: FreezeSettings =
    FreezeSettings { timeout: Duration::from_secs(30), period: Duration::from_secs(60) };
const ORPHANS: OrphanSettings = OrphanSettings {
    period: Duration::from_secs(300),
    grace: Duration::from_secs(60),
    mode: OrphanMode::Collect,
};
const MINUTE: Duration = Duration::from_secs(60);

/// A fleet with all its tasks but the workers, between two API servers and a cloud.
struct Scene {
    fleet: Arc<Fleet>,
    cloud: Arc<FakeCloud>,
    control: ApiServer,
    target: ApiServer,
    tasks: JoinSet<()>,
}

impl Scene {
    /// Starts everything, whatever mood the servers are in.
    fn start(control: ApiServer, target: ApiServer, leadership: Leadership) -> Self {
        let (mut fleet, cloud) = fleet(&FakeServer::default(), leadership);
        control.hold("machineclasses", [class("small")]);
        let (clients, now) = ((control.client(), target.client()), fleet.now());
        let registry = prometheus::Registry::new();
        let event_metrics = EventMetrics::register(&registry).expect("once");
        let (recorder, writer) = events(clients.0.clone(), &event_metrics, move || now);
        let parts = &mut Arc::get_mut(&mut fleet).expect("nobody has it yet").parts;
        (parts.control, parts.target) =
            (ControlClient(clients.0.clone()), Some(TargetClient(clients.1.clone())));
        parts.recorder = recorder;
        let (mut tasks, cancel) = (JoinSet::new(), CancellationToken::new());
        let metrics = WatchMetrics::register(&registry).expect("once");
        let feed = feed(&fleet, MINUTE * 10_000, &metrics, &mut tasks, &cancel);
        let probes = ProbeClients { control: clients.0, target: Some(clients.1) };
        tasks.spawn(writer.run(cancel.clone()));
        tasks.spawn({
            let (fleet, cancel) = (fleet.clone(), cancel.clone());
            async move {
                feed.synced(&fleet, &cancel).await;
                keep_watch(fleet, feed, probes, SETTINGS, cancel).await;
            }
        });
        tasks.spawn(collect_orphans(fleet.clone(), ORPHANS, cancel));
        Self { fleet, cloud, control, target, tasks }
    }

    async fn well() -> Self {
        let scene = Self::start(
            ApiServer::in_mood(Mood::Well),
            ApiServer::in_mood(Mood::Well),
            Leadership::undisputed(),
        );
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(scene.fleet.sees_clearly());
        scene
    }

    fn is_frozen(&self) -> bool {
        self.fleet.trust().freeze.is_frozen()
    }

    /// A VM of no machine, old enough to be collected.
    fn leave_orphan(&self, id: &str) {
        self.cloud.listed.lock().push(Listed {
            id: id.into(),
            machine_name: "gone".into(),
            machine_uid: None,
            created_at: Some(jiff::Timestamp::UNIX_EPOCH),
            kind: ListedKind::Vm,
        });
    }

    fn deletions(&self) -> Vec<String> {
        self.cloud.calls.lock().iter().filter(|call| call.starts_with("delete")).cloned().collect()
    }

    /// None of the tasks has ended, by itself or by a panic.
    fn assert_all_at_work(&mut self) {
        assert!(self.tasks.try_join_next().is_none());
    }
}

const TROUBLES: [Mood; 7] = [
    Mood::Answers(500),
    Mood::Answers(503),
    Mood::Answers(429),
    Mood::Answers(403),
    Mood::Answers(404),
    Mood::Resets,
    Mood::Hangs,
];

#[tokio::test(start_paused = true)]
async fn the_check_survives_errors_of_every_kind_and_always_thaws() {
    let mut scene = Scene::well().await;
    for mood in TROUBLES.into_iter().chain(TROUBLES) {
        scene.control.turn(mood);
        tokio::time::sleep(MINUTE * 20).await;
        assert!(scene.is_frozen(), "{mood:?}");
        scene.control.turn(Mood::Well);
        tokio::time::sleep(MINUTE).await;
        assert!(!scene.is_frozen(), "{mood:?}");
        assert!(scene.fleet.sees_clearly(), "{mood:?}");
        let since = scene.fleet.now().duration_since(scene.fleet.trust().since).as_secs();
        assert!((0..=60).contains(&since), "{mood:?}: {since}");
    }
    scene.assert_all_at_work();
}

#[tokio::test(start_paused = true)]
async fn either_api_server_freezes_and_an_answer_that_is_none_does_too() {
    for mood in [Mood::Hangs, Mood::Nonsense] {
        let scene = Scene::well().await;
        scene.target.turn(mood);
        tokio::time::sleep(MINUTE * 3).await;
        assert!(scene.is_frozen(), "{mood:?}");
        scene.control.turn(mood);
        scene.target.turn(Mood::Well);
        tokio::time::sleep(MINUTE * 3).await;
        assert!(scene.is_frozen(), "{mood:?}");
        scene.control.turn(Mood::Well);
        tokio::time::sleep(MINUTE).await;
        assert!(!scene.is_frozen(), "{mood:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_is_doubt_within_seconds_and_over_as_soon_as_the_list_is_there() {
    let scene = Scene::well().await;
    let since = scene.fleet.trust().since;
    scene.target.turn(Mood::Resets);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!scene.is_frozen());
    assert!(!scene.fleet.sees_clearly());
    assert_eq!(scene.fleet.trust().since, scene.fleet.now());
    scene.target.turn(Mood::Well);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(scene.fleet.sees_clearly());
    assert_eq!(scene.fleet.trust().since, since);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_well_is_asked_once_a_minute() {
    let scene = Scene::well().await;
    let before = scene.target.asked();
    tokio::time::sleep(MINUTE * 10).await;
    let asked = scene.target.asked() - before;
    assert!((9..=11).contains(&asked), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn after_a_thaw_everybody_is_looked_at_again() {
    let scene = Scene::well().await;
    scene.target.turn(Mood::Hangs);
    tokio::time::sleep(MINUTE * 3).await;
    for name in ["a", "b"] {
        scene.fleet.update(|index| index.apply_machine(machine(name)));
    }
    let secret = millwright_api::SecretView { metadata: machine("cloud").metadata };
    scene.fleet.update(|index| index.apply_secret(secret.clone()));
    let (queue, secrets) = (&scene.fleet.parts.queues.machines, &scene.fleet.parts.queues.secrets);
    for _ in 0..2 {
        drop(crate::fake::next(queue).await);
    }
    drop(crate::fake::next(secrets).await);
    assert!(queue.is_empty());
    // The list that ends the outage shows these two only because they are in it.
    scene.control.hold("machines", [machine("a"), machine("b")]);
    scene.control.hold("secrets", [secret]);
    scene.target.turn(Mood::Well);
    let mut woken = vec![
        tokio::time::timeout(MINUTE, queue.next()).await.expect("a").expect("open").key().clone(),
        crate::fake::next(queue).await.expect("b"),
    ];
    woken.sort();
    assert_eq!(woken, ["a", "b"]);
    assert!(!scene.is_frozen());
    assert_eq!(crate::fake::next(secrets).await.as_deref(), Some("cloud"));
}

#[tokio::test(start_paused = true)]
async fn a_freeze_and_its_end_are_told_on_the_lease() {
    let leadership = Leadership::held("machine-controller");
    let scene = Scene::start(ApiServer::in_mood(Mood::Well), ApiServer::in_mood(Mood::Well), leadership);
    tokio::time::sleep(Duration::from_secs(10)).await;
    scene.target.turn(Mood::Answers(500));
    tokio::time::sleep(MINUTE * 3).await;
    scene.target.turn(Mood::Well);
    tokio::time::sleep(MINUTE * 3).await;
    let told: Vec<(String, String)> = scene
        .control
        .written()
        .iter()
        .map(|event| {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            assert_eq!(event["involvedObject"]["kind"], "Lease");
            assert_eq!(event["involvedObject"]["name"], "machine-controller");
            (text(&event["reason"]), text(&event["message"]))
        })
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].0 == "FrozeController" && told[0].1.contains("target cluster"), "{told:?}");
    assert_eq!(told[1].0, "ThawedController");
}

#[tokio::test(start_paused = true)]
async fn a_frozen_fleet_writes_nothing_for_machines_and_deployments_and_goes_on_after_the_thaw() {
    let scene = Scene::well().await;
    let mut deployment = millwright_api::MachineDeployment::default();
    deployment.metadata = machine("d").metadata;
    scene.control.hold("machinedeployments", [deployment.clone()]);
    scene.control.hold("machines", [machine("m")]);
    scene.target.turn(Mood::Resets);
    tokio::time::sleep(MINUTE * 3).await;
    scene.fleet.update(|index| index.apply_machine(machine("m")));
    scene.fleet.update(|index| index.apply_deployment(deployment));
    let asked = scene.control.asked();
    reconcile_machine(scene.fleet.clone(), "m".into()).await;
    reconcile_deployment(scene.fleet.clone(), "d".into()).await;
    assert_eq!(scene.control.asked(), asked);
    scene.target.turn(Mood::Well);
    tokio::time::sleep(MINUTE).await;
    let asked = scene.control.asked();
    reconcile_machine(scene.fleet.clone(), "m".into()).await;
    assert!(scene.control.asked() > asked, "its finalizer");
    let asked = scene.control.asked();
    reconcile_deployment(scene.fleet.clone(), "d".into()).await;
    assert!(scene.control.asked() > asked, "its status or finalizer");
}

/// MCM #657: all workers were deleted after a restart while the API server could not be reached.
#[tokio::test(start_paused = true)]
async fn a_restart_with_an_unreachable_api_server_deletes_no_worker() {
    for mood in TROUBLES {
        let (control, target) = (ApiServer::in_mood(mood), ApiServer::in_mood(mood));
        let mut scene = Scene::start(control, target, Leadership::undisputed());
        scene.leave_orphan("fake://worker");
        tokio::time::sleep(MINUTE * 30).await;
        assert_eq!(scene.cloud.calls.lock().len(), 0, "{mood:?}");
        // And when it is back, with the machine that the VM belongs to.
        let mut worker = machine("gone");
        worker.spec.provider_id = "fake://worker".into();
        scene.control.hold("machines", [worker]);
        scene.control.turn(Mood::Well);
        scene.target.turn(Mood::Well);
        tokio::time::sleep(MINUTE * 30).await;
        assert!(scene.cloud.calls.lock().len() > 2, "{mood:?}");
        assert_eq!(scene.deletions(), [""; 0], "{mood:?}");
        scene.assert_all_at_work();
    }
}

/// MCM #718: orphans were collected by a frozen controller.
#[tokio::test(start_paused = true)]
async fn orphan_collection_rests_while_frozen() {
    for target_only in [Mood::Hangs, Mood::Answers(500)] {
        let scene = Scene::well().await;
        scene.target.turn(target_only);
        tokio::time::sleep(MINUTE * 3).await;
        let lists = scene.cloud.calls.lock().len();
        scene.leave_orphan("fake://orphan");
        tokio::time::sleep(MINUTE * 60).await;
        assert_eq!(scene.cloud.calls.lock().len(), lists, "not even listed: {target_only:?}");
        scene.target.turn(Mood::Well);
        tokio::time::sleep(MINUTE * 7).await;
        assert_eq!(scene.deletions()[0], "delete gone Some(\"fake://orphan\")");
    }
}

#[tokio::test(start_paused = true)]
async fn how_long_nothing_was_seen_is_known_for_any_moment() {
    let scene = Scene::well().await;
    let before = scene.fleet.now();
    scene.target.turn(Mood::Hangs);
    tokio::time::sleep(MINUTE * 60).await;
    scene.target.turn(Mood::Well);
    tokio::time::sleep(MINUTE * 30).await;
    let blind = scene.fleet.blind_time(before);
    assert!((MINUTE * 58..MINUTE * 62).contains(&blind), "{blind:?}");
    assert_eq!(scene.fleet.blind_time(scene.fleet.now()), std::time::Duration::ZERO);
}
