//! The only place where a machine code becomes a time to wait.

use std::time::Duration;

use millwright_api::MachineCode;

use crate::MachineSettings;
use crate::backoff::Backoff;
use crate::machine::{CallFailure, CloudOperation};

/// How long to wait after a failure, counted from it. Each code promises bounds (spec of the codes:
/// docs/reference/machine-codes.md); inside them the wait grows with each failure in a row, and a wait that the
/// cloud asks for is honoured.
#[must_use]
pub fn retry_delay(failure: &CallFailure, settings: &MachineSettings, jitter: f64) -> Duration {
    let backoff = match (failure.code, failure.operation) {
        (
            MachineCode::Unknown
            | MachineCode::DeadlineExceeded
            | MachineCode::Aborted
            | MachineCode::Unavailable,
            _,
        ) => Backoff { base: Duration::from_secs(1), factor: 2.0, max: Duration::from_secs(30) },
        (MachineCode::ResourceExhausted, CloudOperation::Create) => Backoff {
            base: settings.resource_exhausted_retry,
            factor: 1.0,
            max: settings.resource_exhausted_retry,
        },
        (_, CloudOperation::Initialize) => {
            Backoff { base: Duration::from_secs(1), factor: 2.0, max: Duration::from_secs(30) }
        }
        (_, CloudOperation::Create) => {
            Backoff { base: Duration::from_secs(5), factor: 2.0, max: Duration::from_secs(180) }
        }
        (_, CloudOperation::Delete) => {
            Backoff { base: Duration::from_secs(5), factor: 2.0, max: Duration::from_secs(600) }
        }
    };
    let wait = backoff.delay(failure.attempts.saturating_sub(1), jitter);
    failure.retry_after.map_or(wait, |asked| wait.max(asked.min(backoff.max)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn failure(code: MachineCode, operation: CloudOperation, attempts: u32) -> CallFailure {
        CallFailure {
            operation,
            code,
            message: String::new(),
            attempts,
            at: Timestamp::UNIX_EPOCH,
            retry_after: None,
        }
    }

    #[test]
    fn waits_grow_inside_the_bounds_of_the_code() {
        let settings = MachineSettings::default();
        let wait =
            |code, operation, attempts| retry_delay(&failure(code, operation, attempts), &settings, 0.5);
        for code in MachineCode::ALL {
            for operation in [CloudOperation::Create, CloudOperation::Initialize, CloudOperation::Delete] {
                let first = wait(code, operation, 1);
                assert!(first <= wait(code, operation, 8), "{code} {operation:?}");
                assert!(wait(code, operation, 40) <= Duration::from_secs(600), "{code} {operation:?}");
            }
        }
        let exhausted = failure(MachineCode::ResourceExhausted, CloudOperation::Create, 5);
        assert_eq!(retry_delay(&exhausted, &settings, 0.0), settings.resource_exhausted_retry);
        assert!(wait(MachineCode::Unavailable, CloudOperation::Delete, 40) <= Duration::from_secs(30));
    }

    #[test]
    fn a_wait_that_the_cloud_asks_for_is_honoured_inside_the_bounds() {
        let settings = MachineSettings::default();
        let mut throttled = failure(MachineCode::Unavailable, CloudOperation::Create, 1);
        throttled.retry_after = Some(Duration::from_secs(20));
        assert_eq!(retry_delay(&throttled, &settings, 0.0), Duration::from_secs(20));
        throttled.retry_after = Some(Duration::from_secs(3600));
        assert_eq!(retry_delay(&throttled, &settings, 0.0), Duration::from_secs(30));
    }
}
