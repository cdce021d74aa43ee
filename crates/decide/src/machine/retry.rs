//! The only place where a machine code becomes a time to wait.

use std::time::Duration;

use millwright_api::MachineCode;

use crate::MachineSettings;
use crate::backoff::Backoff;
use crate::machine::{CallFailure, CloudOperation};

/// How long to wait after a failure, counted from it. Each code promises bounds (docs/reference/machine-codes.md);
/// inside them the wait grows with each failure in a row, and a wait that the cloud asks for is honoured.
///
/// `jitter`, in 0..=1, makes a wait longer, never shorter: no code is tried again sooner than it promises.
#[must_use]
pub fn retry_delay(failure: &CallFailure, settings: &MachineSettings, jitter: f64) -> Duration {
    let bounds = bounds(failure, settings);
    let wait = match bounds {
        Bounds { least, most } if least == most => least.mul_f64(1.0 + SPREAD * jitter.clamp(0.0, 1.0)),
        Bounds { least, most } => {
            // The back-off takes away up to half of a wait, here of one that begins twice as long.
            let backoff = Backoff { base: 2 * least, factor: 2.0, max: most };
            backoff.delay(failure.attempts.saturating_sub(1), 1.0 - jitter)
        }
    };
    failure.retry_after.map_or(wait, |asked| wait.max(asked.min(bounds.most)))
}

/// How much longer a wait of a fixed length may become, so that what failed together does not come back together.
const SPREAD: f64 = 0.1;

/// The shortest and the longest wait.
struct Bounds {
    least: Duration,
    most: Duration,
}

fn bounds(failure: &CallFailure, settings: &MachineSettings) -> Bounds {
    let seconds = |least, most| Bounds { least: Duration::from_secs(least), most: Duration::from_secs(most) };
    match (failure.code, failure.operation) {
        (
            MachineCode::Unknown
            | MachineCode::DeadlineExceeded
            | MachineCode::Aborted
            | MachineCode::Unavailable,
            _,
        )
        | (_, CloudOperation::Initialize) => seconds(1, 30),
        (MachineCode::ResourceExhausted, CloudOperation::Create) => {
            let flag = settings.resource_exhausted_retry;
            Bounds { least: flag, most: flag }
        }
        (_, CloudOperation::Create | CloudOperation::Status) => seconds(5, 180),
        (_, CloudOperation::Delete) => seconds(5, 600),
    }
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
            state: None,
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
            }
        }
        let exhausted = failure(MachineCode::ResourceExhausted, CloudOperation::Create, 5);
        assert_eq!(retry_delay(&exhausted, &settings, 0.0), settings.resource_exhausted_retry);
        assert!(wait(MachineCode::Unavailable, CloudOperation::Delete, 40) <= Duration::from_secs(30));
    }

    #[test]
    fn jitter_never_leaves_the_bounds_of_the_code() {
        let settings = MachineSettings::default();
        for code in MachineCode::ALL {
            for operation in [CloudOperation::Create, CloudOperation::Initialize, CloudOperation::Delete] {
                let failed = |attempts| failure(code, operation, attempts);
                let Bounds { least, most } = bounds(&failed(1), &settings);
                for (attempts, jitter) in (1..20).flat_map(|n| [(n, 0.0), (n, 0.3), (n, 1.0)]) {
                    let wait = retry_delay(&failed(attempts), &settings, jitter);
                    assert!(
                        least <= wait && wait <= most.mul_f64(1.0 + SPREAD),
                        "{code} {operation:?} {wait:?}"
                    );
                }
                assert_eq!(retry_delay(&failed(1), &settings, 0.0), least, "{code} {operation:?}");
                assert_ne!(retry_delay(&failed(1), &settings, 0.7), least, "{code} {operation:?}");
            }
        }
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
