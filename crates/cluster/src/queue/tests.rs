use super::*;

use tokio::task::JoinSet;
use tokio::time::timeout;

const SECOND: Duration = Duration::from_secs(1);

/// The key that is handed out now; the clock does not move.
fn taken(queue: &WorkQueue<&'static str>) -> Option<InWork<&'static str>> {
    use futures::FutureExt as _;
    queue.next().now_or_never().flatten()
}

fn drained(queue: &WorkQueue<&'static str>) -> Vec<&'static str> {
    std::iter::from_fn(|| taken(queue).map(|work| *work.key())).collect()
}

#[tokio::test(start_paused = true)]
async fn keys_come_out_in_the_order_they_went_in() {
    let queue = WorkQueue::<&str>::new();
    for key in ["c", "a", "b"] {
        queue.add(key);
    }
    assert_eq!(drained(&queue), ["c", "a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_waits_is_not_queued_twice() {
    let queue = WorkQueue::<&str>::new();
    for key in ["a", "b", "a"] {
        queue.add(key);
    }
    assert_eq!(queue.len(), 2);
    assert_eq!(drained(&queue), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_key_in_work_is_handed_to_nobody_else_and_comes_back_once() {
    let queue = WorkQueue::<&str>::new();
    queue.add("a");
    let work = taken(&queue).expect("a is ready");
    queue.add("a");
    queue.add("a");
    assert!(taken(&queue).is_none());
    work.done();
    assert_eq!(drained(&queue), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_comes_due_while_in_work_waits_for_its_worker() {
    let queue = WorkQueue::<&str>::new();
    queue.add("a");
    let work = taken(&queue).expect("a is ready");
    queue.add_after("a", SECOND);
    tokio::time::advance(2 * SECOND).await;
    assert!(taken(&queue).is_none());
    drop(work);
    assert_eq!(drained(&queue), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_later_key_is_handed_out_when_its_time_has_come() {
    let queue = WorkQueue::<&str>::new();
    let start = Instant::now();
    queue.add_after("a", 5 * SECOND);
    let work = queue.next().await.expect("the queue is open");
    assert_eq!((*work.key(), start.elapsed().as_secs()), ("a", 5));
}

#[tokio::test(start_paused = true)]
async fn the_earliest_time_wins() {
    let queue = WorkQueue::<&str>::new();
    let start = Instant::now();
    queue.add_after("a", 5 * SECOND);
    queue.add_after("a", 2 * SECOND);
    queue.add_after("a", 9 * SECOND);
    drop(queue.next().await);
    assert_eq!(start.elapsed().as_secs(), 2);
    assert!(timeout(60 * SECOND, queue.next()).await.is_err(), "the other times are forgotten");
}

#[tokio::test(start_paused = true)]
async fn an_add_overrides_a_later_time() {
    let queue = WorkQueue::<&str>::new();
    queue.add_after("a", 5 * SECOND);
    queue.add("a");
    assert_eq!(drained(&queue), ["a"]);
    assert!(timeout(60 * SECOND, queue.next()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_waiting_worker_hears_of_an_earlier_key() {
    let queue = WorkQueue::<&str>::new();
    let start = Instant::now();
    queue.add_after("late", 100 * SECOND);
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.next().await.map(|work| *work.key()) }
    });
    tokio::time::sleep(SECOND).await;
    queue.add_after("early", SECOND);
    assert_eq!(waiting.await.expect("no panic"), Some("early"));
    assert_eq!(start.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_clock_is_taken_over_when_its_watcher_gives_up() {
    let queue = WorkQueue::<&str>::new();
    let mut watcher = Box::pin(queue.next());
    assert!(timeout(SECOND, &mut watcher).await.is_err());
    let second = tokio::spawn({
        let queue = queue.clone();
        async move { queue.next().await.map(|work| *work.key()) }
    });
    tokio::time::sleep(SECOND).await;
    queue.add_after("a", 5 * SECOND);
    drop(watcher);
    assert_eq!(timeout(60 * SECOND, second).await.expect("woken").expect("no panic"), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_every_waiting_worker() {
    let queue = WorkQueue::<&str>::new();
    let mut workers = JoinSet::new();
    for _ in 0..5 {
        let queue = queue.clone();
        workers.spawn(async move { queue.next().await.is_none() });
    }
    tokio::time::sleep(SECOND).await;
    queue.shutdown();
    let ended = timeout(SECOND, workers.join_all()).await.expect("all ended");
    assert_eq!(ended, [true; 5]);
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_was_shut_down_takes_and_gives_nothing() {
    let queue = WorkQueue::<&str>::new();
    queue.add("a");
    let work = taken(&queue).expect("a is ready");
    queue.add("a");
    queue.add("b");
    queue.shutdown();
    work.done();
    queue.add("c");
    queue.add_after("d", SECOND);
    assert!(queue.next().await.is_none());
    assert_eq!(queue.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_idle_queue_does_not_spin() {
    let queue = WorkQueue::<&str>::new();
    queue.add("a");
    drop(taken(&queue));
    // Under paused time a worker that spins never lets the clock move, and this would not end.
    assert!(timeout(3600 * SECOND, queue.next()).await.is_err());
}

/// Every key is added often, from outside and from workers; none may be lost or be in two hands.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_workers_never_share_a_key_and_lose_none() {
    const KEYS: usize = 50;
    const ROUNDS: usize = 40;
    let queue = WorkQueue::<usize>::new();
    let in_hands = Arc::new(Mutex::new(HashSet::new()));
    let last_added = Arc::new(Mutex::new([0; KEYS]));
    let last_seen = Arc::new(Mutex::new([0; KEYS]));
    let mut workers = JoinSet::new();
    for _ in 0..8 {
        let (queue, in_hands) = (queue.clone(), in_hands.clone());
        let (last_added, last_seen) = (last_added.clone(), last_seen.clone());
        workers.spawn(async move {
            while let Some(work) = queue.next().await {
                assert!(in_hands.lock().insert(*work), "{work:?} is in two hands");
                last_seen.lock()[*work] = last_added.lock()[*work];
                tokio::task::yield_now().await;
                in_hands.lock().remove(&*work);
            }
        });
    }
    for round in 1..=ROUNDS {
        for key in 0..KEYS {
            last_added.lock()[key] = round;
            if (round + key) % 3 == 0 {
                queue.add_after(key, Duration::from_millis(1));
            } else {
                queue.add(key);
            }
        }
        tokio::task::yield_now().await;
    }
    let all_seen = async {
        while *last_seen.lock() != [ROUNDS; KEYS] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(60 * SECOND, all_seen).await.expect("the last add of every key is worked on");
    queue.shutdown();
    while let Some(ended) = workers.join_next().await {
        ended.expect("no worker panics");
    }
}

#[tokio::test(start_paused = true)]
async fn the_metrics_of_a_queue_count_depth_adds_and_retries() {
    let registry = prometheus::Registry::new();
    let family = QueueMetricsFamily::register(&registry).expect("a fresh registry");
    let metrics = family.named("machine");
    let queue = WorkQueue::with_metrics(metrics.clone());
    for key in ["a", "a", "b"] {
        queue.add(key);
    }
    queue.add_after("c", SECOND);
    assert_eq!((metrics.depth.get(), metrics.adds.get(), metrics.retries.get()), (2, 2, 1));
    drop(drained(&queue));
    assert_eq!((metrics.depth.get(), metrics.work_duration.get_sample_count()), (0, 2));
    let names: Vec<_> = registry.gather().iter().map(|family| family.name().to_owned()).collect();
    assert!(names.contains(&"mcm_workqueue_queue_duration_seconds".to_owned()), "{names:?}");
}
