//! What an API server's answer to an eviction or a deletion of a pod means.

use std::time::Duration;

use millwright_decide::drain::{EvictionOutcome, PodIdentity};

use crate::client::says_gone;

/// The cause that the API server gives when a disruption budget stands against an eviction.
const BUDGET_CAUSE: &str = "DisruptionBudget";

pub(super) fn outcome(answer: kube::Result<()>, pod: &PodIdentity) -> EvictionOutcome {
    match answer {
        Ok(()) => EvictionOutcome::Accepted,
        // It is gone, or another of that name is there.
        Err(kube::Error::Api(status)) if says_gone(&status, &pod.name) || status.is_conflict() => {
            EvictionOutcome::Accepted
        }
        // A server that is too busy says 429 too, without such a cause.
        Err(kube::Error::Api(status)) if status.code == 429 => {
            let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
            match causes.iter().find(|cause| cause.reason == BUDGET_CAUSE) {
                Some(cause) => EvictionOutcome::Blocked { budget: budget(&cause.message, &pod.namespace) },
                None => EvictionOutcome::Failed { message: status.message.clone() },
            }
        }
        Err(error) => EvictionOutcome::Failed { message: error.to_string() },
    }
}

/// How long the API server asks to wait.
pub(super) fn retry_after(answer: &kube::Result<()>) -> Option<Duration> {
    let Err(kube::Error::Api(status)) = answer else { return None };
    let seconds = status.details.as_ref().map(|details| details.retry_after_seconds)?;
    (seconds > 0).then(|| Duration::from_secs(u64::from(seconds)))
}

/// The budget's name from the API server's sentence about it; a budget is in its pods' namespace.
fn budget(sentence: &str, namespace: &str) -> String {
    let name = sentence.strip_prefix("The disruption budget ").and_then(|rest| rest.split(' ').next());
    name.map_or_else(|| sentence.to_owned(), |name| format!("{namespace}/{name}"))
}

#[cfg(test)]
mod tests {
    use kube::core::response::{Status as Answer, StatusCause, StatusDetails};

    use super::*;

    fn answered(causes: Vec<StatusCause>, retry_after_seconds: u32) -> kube::Result<()> {
        let none = String::new;
        let details = StatusDetails {
            name: none(),
            group: none(),
            kind: none(),
            uid: none(),
            causes,
            retry_after_seconds,
        };
        let answer = Answer::failure(
            "Cannot evict pod as it would violate the pod's disruption budget.",
            "TooManyRequests",
        );
        Err(kube::Error::Api(Box::new(answer.with_code(429).with_details(details))))
    }

    fn web() -> PodIdentity {
        PodIdentity { namespace: "shop".into(), name: "web-1".into(), uid: "uid-web-1".into() }
    }

    fn cause(message: &str) -> StatusCause {
        StatusCause { reason: BUDGET_CAUSE.into(), message: message.into(), field: String::new() }
    }

    #[test]
    fn a_budget_that_stands_against_an_eviction_is_known_by_its_name() {
        for (sentence, budget) in [
            ("The disruption budget web needs 1 healthy pods and has 1 currently", "shop/web"),
            ("The disruption budget web is still being processed by the server.", "shop/web"),
            ("Budgets are said otherwise now", "Budgets are said otherwise now"),
        ] {
            let expected = EvictionOutcome::Blocked { budget: budget.to_owned() };
            assert_eq!(outcome(answered(vec![cause(sentence)], 0), &web()), expected);
        }
    }

    #[test]
    fn a_busy_server_is_not_taken_for_a_budget() {
        assert!(matches!(outcome(answered(vec![], 0), &web()), EvictionOutcome::Failed { .. }));
    }

    #[test]
    fn the_wait_that_a_server_asks_for_is_read() {
        assert_eq!(retry_after(&answered(vec![], 7)), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&answered(vec![], 0)), None);
        assert_eq!(retry_after(&Ok(())), None);
    }
}
