//! Sends the same requests to a real API server and to simkube, and compares the answers.
#![expect(
    clippy::unwrap_used,
    reason = "the lint's own exception for tests leaves out what several tests share"
)]

mod cases;
mod pair;
mod plain;
mod random;
mod step;

use pair::Pair;

/// One test: both parts share the control plane, whose start takes most of the time.
#[tokio::test]
async fn simkube_answers_as_the_api_server_does() {
    let pair = Pair::start().await;
    let mut differences = Vec::new();
    let mut requests = 0;
    for (name, steps) in cases::all() {
        requests += steps.len();
        differences.extend(pair.compare(name, &steps).await);
    }
    assert!(requests >= 60, "{requests} scripted requests are too few to say anything");
    for seed in random::SEEDS {
        let steps = random::steps(seed);
        requests += steps.len();
        differences.extend(pair.compare(&format!("random-{seed}"), &steps).await);
    }
    println!("{requests} requests, {} differences", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    pair.stop().await;
}
