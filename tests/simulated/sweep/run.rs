//! Runs the cases of a sweep, counts, and says which of them ended otherwise.
//!
//! `SIMULATED_CASE` runs one case by its name, `SIMULATED_FULL=1` runs all of a sweep that is sampled, `SIMULATED_SEED` draws
//! another sample, `SIMULATED_MOST` bounds each sweep.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use super::case::Case;
use super::reference::Reference;
use crate::scenario::Scenario;
use crate::world::{Logged, Party, in_world};

/// Requests of one controller in a simulated minute that no fault may drive it over.
const MOST_IN_A_MINUTE: usize = 400;
/// Failures that are told in full.
const TOLD: usize = 3;

/// Runs the cases, or `most` of them drawn by seed, and panics when one does not end as the reference.
pub(crate) fn run(name: &str, scenario: Scenario, most: usize, cases: impl Fn(&Reference) -> Vec<Case>) {
    let began = Instant::now();
    let reference = Reference::of(scenario);
    let all = cases(&reference);
    let points = all.iter().map(|case| &case.point).collect::<std::collections::BTreeSet<_>>().len();
    let (count, cases) = (all.len(), choose(all, most));
    let mut failed: Vec<(String, String)> = Vec::new();
    let mut missed = 0;
    for case in &cases {
        let played = in_world(scenario.setting(case.plan()), move |world| scenario.play(world));
        let mut wrong = played.broken.clone();
        if played.struck == 0 {
            // Another order of requests than in the reference run.
            missed += 1;
        }
        if let Some(rests) = &played.yielded
            && *rests != reference.rests
        {
            for (index, (is, was)) in
                rests.iter().zip(&reference.rests).enumerate().filter(|(_, (a, b))| a != b)
            {
                wrong.push(format!("rest {index} differs: {}", is.difference(was)));
            }
        }
        if let Some(text) = too_many(&played.log) {
            wrong.push(text);
        }
        if !wrong.is_empty() {
            failed.push((case.to_string(), format!("{}\n{}", wrong.join("\n"), played.report)));
        }
    }
    println!(
        "{name}, {scenario:?}: {points} points, {} of {count} cases, {missed} not reached, {} failed, {:.1} s",
        cases.len(),
        failed.len(),
        began.elapsed().as_secs_f64(),
    );
    let names: Vec<&str> = failed.iter().map(|(case, _)| case.as_str()).collect();
    let told: Vec<String> = failed
        .iter()
        .take(TOLD)
        .map(|(case, text)| format!("SIMULATED_CASE='{case}' cargo test -p millwright-tests --test simulated {name} -- --nocapture\n{text}"))
        .collect();
    assert!(
        failed.is_empty(),
        "these did not end as they should:\n{}\n\n{}",
        names.join("\n"),
        told.join("\n\n")
    );
    assert!(
        missed * 20 <= cases.len(),
        "{missed} of {} cases aimed at requests that never came",
        cases.len()
    );
}

fn choose(mut cases: Vec<Case>, most: usize) -> Vec<Case> {
    if let Ok(one) = std::env::var("SIMULATED_CASE") {
        cases.retain(|case| case.to_string() == one);
        return cases;
    }
    if std::env::var_os("SIMULATED_FULL").is_some() {
        return cases;
    }
    let bound = std::env::var("SIMULATED_MOST").ok().and_then(|text| text.parse().ok());
    let most = bound.unwrap_or(most);
    let seed = std::env::var("SIMULATED_SEED").unwrap_or_default();
    let drawn = |case: &Case| {
        let mut hasher = DefaultHasher::new();
        (&seed, case.to_string()).hash(&mut hasher);
        hasher.finish()
    };
    cases.sort_by_key(drawn);
    cases.truncate(most);
    cases
}

/// A loop without a pause shows as a minute with very many requests.
fn too_many(log: &[Logged]) -> Option<String> {
    let mut minutes: BTreeMap<(&str, Party, u64), usize> = BTreeMap::new();
    for logged in log {
        let minute = logged.at.as_secs() / Duration::from_secs(60).as_secs();
        *minutes.entry((&logged.who, logged.point.signature.party, minute)).or_default() += 1;
    }
    let ((who, party, minute), count) = minutes.into_iter().max_by_key(|(_, count)| *count)?;
    (count > MOST_IN_A_MINUTE).then(|| format!("{who} sent {count} requests to {party:?} in minute {minute}"))
}
