//! A machine is chosen while the pool still grows: every step of the autoscaler at every write of the controller.

use std::time::Duration;

use super::gardener;
use super::pool::{Pool, with_pool};
use super::upstream;
use crate::world::Played;

/// How many writes of the controller there are while a pool of three gets two more.
fn writes_of_growth() -> usize {
    let played = with_pool(3, async |pool| {
        pool.turnstile.count(&[]);
        let size = upstream::size(pool).await;
        upstream::set_size(pool, size + 2).await.unwrap();
        pool.must_end(5, &[]).await;
        pool.turnstile.counted()
    });
    played.clean()
}

/// Pairs of moments, the second not before the first: what is read at the one is written at the other. Those that follow each
/// other at once or at the next write, and an eighth of the others; all with `SIMULATED_FULL=1`.
fn pairs(count: usize) -> Vec<(usize, usize)> {
    let is_full = std::env::var_os("SIMULATED_FULL").is_some();
    let all = (0..=count).flat_map(|first| (first..=count).map(move |second| (first, second)));
    all.filter(|(first, second)| is_full || second - first < 2 || (first * 3 + second).is_multiple_of(8))
        .collect()
}

/// Growth by two and the choice of one leave one more machine. The chosen one is gone, or nobody is: a set that has never seen
/// the growth has nothing to give away. Then the mark is kept for the next time. Tells whether it went at once.
async fn goes_now_or_next(pool: &Pool, chosen: &str) -> bool {
    pool.world.until_running(4).await;
    pool.world.rest(Duration::from_secs(120)).await;
    pool.world.until_running(4).await;
    if pool.deleted().is_empty() {
        upstream::set_size(pool, 3).await.unwrap();
        pool.must_end(3, &[chosen]).await;
        return false;
    }
    pool.must_end(4, &[chosen]).await;
    true
}

/// Everything held, but for one thing that nobody can help: a creation that is held up on its way lands in a set that has shrunk
/// since.
fn clean<T>(mut played: Played<T>) -> T {
    played.broken.retain(|what| !what.starts_with("I3: "));
    played.clean()
}

#[test]
fn gardeners_choice_goes_whenever_it_is_read_and_written() {
    let count = writes_of_growth();
    assert!(count > 10, "{count} writes are no growth");
    let mut conflicts = 0;
    for (read_at, written_at) in pairs(count) {
        let played = with_pool(3, async |pool| {
            let chosen = pool.last();
            pool.turnstile.count(&[read_at, written_at]);
            let before = gardener::read(pool).await;
            gardener::persist(pool, before, |deployment| gardener::larger(deployment, 2)).await;
            pool.turnstile.reached(read_at).await;
            let known = gardener::read(pool).await;
            pool.turnstile.reached(written_at).await;
            let now = gardener::now(pool);
            let change = |known| gardener::smaller(known, &[&chosen], &now);
            let conflicts = gardener::persist(pool, known, change).await;
            pool.must_end(4, &[&chosen]).await;
            let left = pool.deployment();
            assert_eq!(left["metadata"]["annotations"].get(gardener::TRIGGER), None, "it is done");
            conflicts
        });
        println!("read at {read_at}, written at {written_at}");
        conflicts += clean(played);
    }
    assert!(conflicts > 0, "the controller's own writes of the deployment must have come between");
}

#[test]
fn the_upstream_autoscalers_choice_goes_whenever_it_is_marked_and_the_size_is_written() {
    let mut at_once = 0;
    for (marked_at, scaled_at) in pairs(writes_of_growth()) {
        let played = with_pool(3, async |pool| {
            let chosen = pool.last();
            pool.turnstile.count(&[marked_at, scaled_at]);
            let replicas = upstream::size(pool).await + 2;
            upstream::set_size(pool, replicas).await.unwrap();
            pool.turnstile.reached(marked_at).await;
            let machine = upstream::read(pool, &chosen).await;
            upstream::mark(pool, machine).await.unwrap();
            pool.turnstile.reached(scaled_at).await;
            upstream::set_size(pool, replicas - 1).await.unwrap();
            goes_now_or_next(pool, &chosen).await
        });
        println!("marked at {marked_at}, scaled at {scaled_at}");
        at_once += usize::from(clean(played));
    }
    assert!(at_once > 10, "it went at once {at_once} times");
}

#[test]
fn an_old_autoscalers_priority_on_the_machine_decides_whenever_the_size_is_written() {
    let mut at_once = 0;
    for (marked_at, scaled_at) in pairs(writes_of_growth()) {
        let played = with_pool(3, async |pool| {
            let chosen = pool.last();
            pool.turnstile.count(&[marked_at, scaled_at]);
            let before = gardener::read(pool).await;
            gardener::persist(pool, before, |deployment| gardener::larger(deployment, 2)).await;
            pool.turnstile.reached(marked_at).await;
            let mut machine = upstream::read(pool, &chosen).await;
            machine["metadata"]["annotations"][gardener::PRIORITY] = "1".into();
            let path = format!("machines/{chosen}");
            pool.ask(http::Method::PUT, &path, Some(&machine)).await.unwrap();
            pool.turnstile.reached(scaled_at).await;
            let known = gardener::read(pool).await;
            gardener::persist(pool, known, |deployment| gardener::larger(deployment, -1)).await;
            goes_now_or_next(pool, &chosen).await
        });
        println!("marked at {marked_at}, scaled at {scaled_at}");
        at_once += usize::from(clean(played));
    }
    assert!(at_once > 10, "it went at once {at_once} times");
}
