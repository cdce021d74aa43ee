//! A machine is chosen at rest, and each write of the controller that follows fails or is its last.

use millwright_simkube::Verdict;

use super::gardener;
use super::pool::{Pool, with_pool};
use super::turnstile::Disturbance;
use super::upstream;

async fn gardeners_choice(pool: &Pool, chosen: &str) {
    let known = gardener::read(pool).await;
    let now = gardener::now(pool);
    gardener::persist(pool, known, |known| gardener::smaller(known, &[chosen], &now)).await;
}

fn disturbances() -> Vec<Disturbance> {
    vec![
        Disturbance::Verdict(Verdict::refuse(409)),
        Disturbance::Verdict(Verdict::refuse(500)),
        Disturbance::Verdict(Verdict::Reset),
        Disturbance::Verdict(Verdict::LoseAnswer),
        Disturbance::CrashBefore,
        Disturbance::CrashAfter,
    ]
}

fn sweep(choose: impl AsyncFn(&Pool, &str)) {
    let played = with_pool(3, async |pool| {
        let chosen = pool.last();
        pool.turnstile.count(&[]);
        choose(pool, &chosen).await;
        pool.must_end(2, &[&chosen]).await;
        pool.turnstile.counted()
    });
    let count = played.clean();
    assert!(count > 5, "{count} writes are no scale-down");
    for nth in 1..=count {
        for disturbance in disturbances() {
            println!("write {nth}: {disturbance:?}");
            let played = with_pool(3, async |pool| {
                let chosen = pool.last();
                pool.turnstile.disturb(nth, disturbance.clone());
                choose(pool, &chosen).await;
                pool.must_end(2, &[&chosen]).await;
            });
            played.clean();
        }
    }
}

#[test]
fn gardeners_choice_goes_whichever_of_our_writes_fails() {
    sweep(gardeners_choice);
}

#[test]
fn the_upstream_autoscalers_choice_goes_whichever_of_our_writes_fails() {
    sweep(upstream::delete_node);
}
