use std::sync::Arc;

use futures::future::join_all;
use proptest::prelude::*;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{advance, sleep};

use super::*;

const LONG: Duration = Duration::from_secs(600);

fn budget(per_second: f64, burst: u32) -> Arc<Budget> {
    Arc::new(Budget::new(Rate { per_second, burst }))
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Each waiter joins a moment after the one before it; the order in which they are served.
async fn order(budget: &Arc<Budget>, kinds: &[Urgency]) -> Vec<usize> {
    let (say, mut said) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for (number, urgency) in kinds.iter().copied().enumerate() {
        let (budget, say) = (budget.clone(), say.clone());
        tasks.spawn(async move {
            sleep(Duration::from_millis(number as u64)).await;
            budget.turn(urgency, LONG).await.unwrap();
            say.send(number).unwrap();
        });
    }
    drop(say);
    let mut order = Vec::new();
    while let Some(number) = said.recv().await {
        order.push(number);
    }
    order
}

#[tokio::test(start_paused = true)]
async fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
    let budget = budget(0.5, 3);
    let start = Instant::now();
    let mut at = Vec::new();
    for _ in 0..6 {
        let turn = budget.turn(Urgency::Poll, LONG).await.unwrap();
        at.push((start.elapsed().as_secs(), turn.waited.as_secs()));
    }
    assert_eq!(at, [(0, 0), (0, 0), (0, 0), (2, 2), (4, 2), (6, 2)]);
}

#[tokio::test(start_paused = true)]
async fn deletions_go_before_creations_and_those_before_polls() {
    use Urgency::{Create, Delete, Poll};
    let budget = budget(1.0, 1);
    budget.turn(Poll, LONG).await.unwrap();
    let order = order(&budget, &[Poll, Create, Delete, Poll, Create, Delete]).await;
    assert_eq!(order, [2, 5, 1, 4, 0, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_poll_is_served_while_deletions_never_end() {
    let budget = budget(1.0, 1);
    let mut endless = JoinSet::new();
    for _ in 0..40 {
        let budget = budget.clone();
        endless.spawn(async move { while budget.turn(Urgency::Delete, LONG).await.is_ok() {} });
    }
    sleep(seconds(5)).await;
    for urgency in [Urgency::Poll, Urgency::Create, Urgency::Poll] {
        let turn = budget.turn(urgency, seconds(60)).await.unwrap();
        assert!(turn.waited <= seconds(9), "{urgency:?} {turn:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_can_not_be_served_in_time_is_told_at_once_and_when_to_come_again() {
    let budget = budget(0.1, 1);
    budget.turn(Urgency::Poll, LONG).await.unwrap();
    let start = Instant::now();
    let no = budget.turn(Urgency::Delete, seconds(9)).await.unwrap_err();
    assert_eq!((no.retry_after, start.elapsed()), (seconds(10), Duration::ZERO));
    // It took no place: the next one is served first.
    assert_eq!(budget.turn(Urgency::Delete, seconds(10)).await.unwrap().waited, seconds(10));
}

#[tokio::test(start_paused = true)]
async fn who_waits_when_a_pause_begins_that_is_longer_is_told_at_once() {
    let budget = budget(1.0, 1);
    budget.turn(Urgency::Poll, LONG).await.unwrap();
    let pause = async {
        sleep(Duration::from_millis(100)).await;
        budget.throttled(Some(seconds(300)));
        Instant::now()
    };
    let (waiter, paused) = tokio::join!(budget.turn(Urgency::Create, seconds(60)), pause);
    assert_eq!(waiter.unwrap_err().retry_after, seconds(300));
    assert_eq!(paused, Instant::now());
}

#[tokio::test(start_paused = true)]
async fn who_is_overtaken_waits_no_longer_than_it_said() {
    let budget = budget(1.0, 1);
    budget.turn(Urgency::Poll, LONG).await.unwrap();
    let overtaking = async {
        sleep(Duration::from_millis(100)).await;
        join_all((0..5).map(|_| budget.turn(Urgency::Delete, LONG))).await
    };
    let start = Instant::now();
    let poll = async {
        let answer = budget.turn(Urgency::Poll, seconds(3)).await;
        (answer.is_err(), start.elapsed())
    };
    let (poll, deletions) = tokio::join!(poll, overtaking);
    assert_eq!(poll, (true, seconds(3)));
    assert!(deletions.iter().all(Result::is_ok));
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_gives_its_place_back() {
    let budget = budget(1.0, 1);
    budget.turn(Urgency::Poll, LONG).await.unwrap();
    let start = Instant::now();
    for _ in 0..100 {
        assert!(timeout(Duration::from_millis(1), budget.turn(Urgency::Delete, LONG)).await.is_err());
    }
    // One that is at the head goes away while another one waits behind it.
    let (gone, next) = tokio::join!(
        timeout(Duration::from_millis(500), budget.turn(Urgency::Delete, LONG)),
        budget.turn(Urgency::Poll, LONG),
    );
    assert!(gone.is_err() && next.is_ok());
    assert_eq!(start.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_served_until_the_cloud_wants_to_be_asked_again() {
    let budget = budget(10.0, 10);
    budget.throttled(Some(seconds(20)));
    let start = Instant::now();
    let mut at = Vec::new();
    for _ in 0..3 {
        budget.turn(Urgency::Delete, LONG).await.unwrap();
        at.push(start.elapsed().as_millis());
    }
    // And then there is no burst: the cloud is not thrown at what was held back.
    assert_eq!(at, [20_000, 20_100, 20_200]);
    budget.throttled(Some(seconds(20)));
    budget.throttled(Some(seconds(2)));
    let turn = budget.turn(Urgency::Delete, LONG).await.unwrap();
    assert_eq!(turn.waited, seconds(20), "a shorter wish does not end a longer one");
}

#[tokio::test(start_paused = true)]
async fn pauses_of_unknown_length_grow_until_a_good_answer_comes() {
    let budget = budget(1000.0, 1);
    let mut waits = Vec::new();
    for _ in 0..8 {
        budget.throttled(None);
        // Refusals of calls that were under way say nothing new.
        budget.throttled(None);
        waits.push(budget.turn(Urgency::Poll, LONG).await.unwrap().waited.as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    let good = budget.turn(Urgency::Poll, LONG).await.unwrap();
    budget.throttled(Some(seconds(5)));
    budget.answered(&good);
    sleep(seconds(6)).await;
    budget.throttled(None);
    let turn = budget.turn(Urgency::Poll, LONG).await.unwrap();
    assert_eq!(turn.waited.as_secs(), 60, "an answer to a call from before the pause is no sign");
    budget.answered(&turn);
    budget.throttled(None);
    assert_eq!(budget.turn(Urgency::Poll, LONG).await.unwrap().waited.as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_pause_is_forgiven_after_a_while_also_when_nobody_tells_of_good_answers() {
    let budget = budget(1000.0, 1);
    for _ in 0..5 {
        budget.throttled(None);
        budget.turn(Urgency::Poll, LONG).await.unwrap();
    }
    sleep(seconds(301)).await;
    budget.throttled(None);
    assert_eq!(budget.turn(Urgency::Poll, LONG).await.unwrap().waited.as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_wish_of_the_cloud_ends_after_an_hour() {
    let budget = budget(1.0, 1);
    budget.throttled(Some(Duration::MAX));
    let no = budget.turn(Urgency::Delete, seconds(60)).await.unwrap_err();
    assert_eq!(no.retry_after, seconds(3600));
}

#[tokio::test(start_paused = true)]
async fn a_rate_that_is_no_positive_number_lets_the_burst_through_and_does_not_panic() {
    for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        let budget = budget(per_second, 0);
        budget.turn(Urgency::Poll, Duration::MAX).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn budgets_of_rotated_credentials_do_not_pile_up_and_spent_ones_are_kept() {
    let budgets = Budgets::default();
    let rate = Rate { per_second: 1.0, burst: 10 };
    let key = |credential| BudgetKey { cloud: "aws", credential, class: "ec2".to_owned() };
    let spent = budgets.of(&key(0), rate);
    for _ in 0..10 {
        spent.turn(Urgency::Poll, LONG).await.unwrap();
    }
    drop(spent);
    let held = budgets.of(&key(1), rate);
    for credential in 2..1000 {
        budgets.of(&key(credential), rate);
    }
    assert!(budgets.len() <= 3, "{}", budgets.len());
    assert!(Arc::ptr_eq(&held, &budgets.of(&key(1), rate)));
    // Leaving a credential alone for a moment gives nobody a fresh budget.
    let waited = budgets.of(&key(0), rate).turn(Urgency::Poll, LONG).await.unwrap().waited;
    assert_eq!(waited, seconds(1));
    advance(seconds(60)).await;
    budgets.of(&key(1000), rate);
    assert_eq!(budgets.len(), 2);
}

fn urgency() -> impl Strategy<Value = Urgency> {
    prop::sample::select(Urgency::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_window_of_time_sees_more_calls_than_rate_and_burst_allow(
        per_second in 0.2f64..50.0,
        burst in 1u32..8,
        calls in prop::collection::vec((urgency(), 0u64..3000, 0u64..5000), 1..60),
        pauses in prop::collection::vec((0u64..5000, prop::option::of(0u64..2000)), 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let served = runtime.block_on(async {
            let budget = budget(per_second, burst);
            let start = Instant::now();
            for (at, wait) in pauses {
                let budget = budget.clone();
                tokio::spawn(async move {
                    sleep(Duration::from_millis(at)).await;
                    budget.throttled(wait.map(Duration::from_millis));
                });
            }
            let calls = calls.into_iter().map(|(urgency, at, within)| {
                let budget = budget.clone();
                async move {
                    sleep(Duration::from_millis(at)).await;
                    let came = Instant::now();
                    let turn = budget.turn(urgency, Duration::from_millis(within)).await;
                    assert!(came.elapsed() <= Duration::from_millis(within + 1), "it waited for too long");
                    turn.ok().map(|_| start.elapsed().as_secs_f64())
                }
            });
            let mut served: Vec<f64> = join_all(calls).await.into_iter().flatten().collect();
            served.sort_by(f64::total_cmp);
            served
        });
        for (first, from) in served.iter().enumerate() {
            for (last, to) in served.iter().enumerate().skip(first) {
                let allowed = per_second * (to - from) + f64::from(burst) + 1e-6;
                prop_assert!((last - first + 1) as f64 <= allowed, "{served:?}");
            }
        }
    }

    #[test]
    fn equals_are_served_in_the_order_in_which_they_came(kinds in prop::collection::vec(urgency(), 1..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let order = runtime.block_on(async {
            let budget = budget(1.0, 1);
            budget.turn(Urgency::Poll, LONG).await.unwrap();
            order(&budget, &kinds).await
        });
        prop_assert_eq!(order.len(), kinds.len());
        for urgency in Urgency::ALL {
            let lane: Vec<usize> = order.iter().copied().filter(|number| kinds[*number] == urgency).collect();
            prop_assert!(lane.is_sorted(), "{:?} of {:?}", lane, order);
        }
        // Out of turn come at most two of eight.
        let out_of_turn = order.windows(2).filter(|pair| kinds[pair[0]] > kinds[pair[1]]).count();
        prop_assert!(out_of_turn <= order.len().div_ceil(4), "{:?}", order);
    }
}
