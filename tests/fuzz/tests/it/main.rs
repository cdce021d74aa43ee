//! The same properties as in the long run, on a fixed number of inputs that shrink; and that the fuzzer finds what
//! it is there to find.
#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

use std::time::Duration;

use millwright_fuzz::{Corpus, Mutator, Random, Webhook, features, fuzz, judge};
use proptest::prelude::*;

thread_local! {
    static WEBHOOK: Webhook = Webhook::new().unwrap();
    static CORPUS: Corpus = Corpus::read(&Corpus::folder()).unwrap();
}

fn holds(body: &[u8]) -> Result<(), String> {
    WEBHOOK.with(|webhook| judge(webhook, body).map(drop).map_err(|finding| finding.to_string()))
}

#[test]
fn every_input_of_the_corpus_is_answered_as_it_must_be() {
    CORPUS.with(|corpus| {
        for input in &corpus.inputs {
            holds(input).unwrap_or_else(|what| panic!("{what}\n{}", String::from_utf8_lossy(input)));
        }
    });
}

#[test]
fn the_corpus_has_all_kinds_allowed_and_refused() {
    let mut said = CORPUS.with(|corpus| {
        WEBHOOK.with(|webhook| {
            corpus
                .inputs
                .iter()
                .flat_map(|input| features(&judge(webhook, input).unwrap()))
                .collect::<Vec<_>>()
        })
    });
    said.sort_unstable();
    for wanted in
        ["mutate true null", "validate true null", "validate false 422", "validate false 400", "patch "]
    {
        assert!(said.iter().any(|feature| feature.starts_with(wanted)), "{wanted} in {said:#?}");
    }
}

#[test]
fn changed_inputs_say_what_none_of_the_corpus_said() {
    // A busy machine may not get past the corpus itself in a short time.
    for seconds in [2, 10, 60] {
        let corpus = CORPUS.with(Clone::clone);
        let outcome = WEBHOOK.with(|webhook| fuzz(webhook, corpus, 1, Duration::from_secs(seconds)));
        assert!(outcome.finding.is_none(), "{:?}", outcome.finding);
        if outcome.new_inputs > 0 {
            return;
        }
    }
    panic!("nothing new was said in all that time");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_review_is_answered_as_it_must_be(seed in any::<u64>(), times in 1_usize..8) {
        let body = CORPUS.with(|corpus| Mutator::new(Random::new(seed)).next(corpus, times));
        prop_assert!(holds(&body).is_ok(), "{:?}\n{}", holds(&body), String::from_utf8_lossy(&body));
    }

    #[test]
    fn any_bytes_are_answered_as_they_must_be(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(holds(&body).is_ok(), "{:?}", holds(&body));
    }
}
