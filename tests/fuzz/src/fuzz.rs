//! Changes, asks, judges, keeps what is new, until the time is over or something is found.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::shrink::shrunk;
use crate::{Corpus, Finding, Mutator, Random, Webhook, features, judge};

/// An input for the collection must be small, or all of them get ever larger.
const LARGEST_KEPT: usize = 64 << 10;
/// How long a finding may be made smaller.
const SHRINKING: Duration = Duration::from_secs(10);

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// How many inputs were tried.
    pub executions: u64,
    /// How many of them had an answer that said something new.
    pub new_inputs: usize,
    /// How many things were said in all.
    pub features: usize,
    /// The input that broke a property, made small, and the property.
    pub finding: Option<(Vec<u8>, Finding)>,
}

/// Tries inputs for `time`.
#[must_use]
pub fn fuzz(webhook: &Webhook, mut corpus: Corpus, seed: u64, time: Duration) -> Outcome {
    let begun = Instant::now();
    let mut random = Random::new(seed);
    let mut mutator = Mutator::new(Random::new(random.number()));
    let mut seen = HashSet::new();
    let mut outcome = Outcome { executions: 0, new_inputs: 0, features: 0, finding: None };
    let mut first = corpus.inputs.clone().into_iter();
    while begun.elapsed() < time {
        let (is_first, input) = match first.next() {
            Some(input) => (true, input),
            None => (false, mutator.next(&corpus, 1 + random.below(4))),
        };
        outcome.executions += 1;
        match judge(webhook, &input) {
            Ok(judged) => {
                let said = features(&judged);
                let news = said.into_iter().filter(|feature| seen.insert(feature.clone())).count();
                outcome.features += news;
                if news > 0 && !is_first && input.len() <= LARGEST_KEPT {
                    outcome.new_inputs += 1;
                    corpus.inputs.push(input);
                }
            }
            Err(finding) => {
                let breaks = |input: &[u8]| judge(webhook, input).is_err_and(|other| other == finding);
                let input = shrunk(&input, SHRINKING, breaks);
                outcome.finding = Some((input, finding));
                return outcome;
            }
        }
    }
    outcome
}
