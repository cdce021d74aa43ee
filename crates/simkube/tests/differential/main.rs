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

use futures::{StreamExt as _, stream};

use pair::Pair;
use step::Step;

const AT_ONCE: usize = 6;

/// One test: scripts and random sequences share the control plane.
#[tokio::test]
async fn simkube_answers_as_the_api_server_does() {
    let pair = &Pair::start().await;
    let mut scripts: Vec<(String, Vec<Step>)> =
        cases::all().into_iter().map(|(name, steps)| (name.to_owned(), steps)).collect();
    let scripted: usize = scripts.iter().map(|(_, steps)| steps.len()).sum();
    assert!(scripted >= 60, "{scripted} scripted requests are too few to say anything");
    scripts.extend(random::SEEDS.map(|seed| (format!("random-{seed}"), random::steps(seed))));
    let requests: usize = scripts.iter().map(|(_, steps)| steps.len()).sum();
    // Each script has a namespace of its own, and most of the time they wait for watches to end.
    let differences: Vec<String> = stream::iter(&scripts)
        .map(|(name, steps)| pair.compare(name, steps))
        .buffered(AT_ONCE)
        .concat()
        .await;
    println!("{requests} requests, {} differences", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
