//! How long a machine may stay in its phase: only time during which we could see counts.

use std::time::Duration;

use jiff::Timestamp;

use super::MachineView;
use crate::elapsed::elapsed;

/// What is left of a time-out that runs since the phase was entered, and a second more, for it must be over at the
/// next look; `None` when it is over.
pub(super) fn left_in_phase(view: &MachineView<'_>, timeout: Duration, now: Timestamp) -> Option<Duration> {
    let entered = view.machine.status.current_status.last_update_time.as_ref();
    let since = entered.map_or(view.trusted_since, |time| time.0.max(view.trusted_since));
    timeout.checked_sub(elapsed(since, now)).map(|left| left + Duration::from_secs(1))
}
