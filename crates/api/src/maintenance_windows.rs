//! When rollouts may take steps: the value of an annotation and of a flag. Whose windows hold, and what a closed one
//! means, is decided elsewhere.
//!
//! `0 22 * * SAT for 4h in Europe/Berlin | 0 2 * * MON-FRI for 90m`: calendar fields as in crontab, how long, and whose
//! clock (UTC when it is not said). `always` is a window that never closes.
//!
//! The calendar is read on the clock on the wall of the zone; the length is time that passes. A start that the clocks jump
//! over is the moment of the jump, and one that they show twice is the first of the two.

mod opening;
mod state;
mod window;
mod window_error;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

pub use opening::Opening;
pub use state::MaintenanceState;
pub use window_error::WindowError;

use window::Window;

/// Nobody needs more, and each is looked at with every step of a rollout.
const MOST: usize = 32;

/// Windows of time, any of which suffices.
#[derive(Clone, Debug)]
pub struct MaintenanceWindows {
    text: String,
    /// None are a window that never closes.
    windows: Vec<Window>,
}

impl MaintenanceWindows {
    /// Whether one of them is open.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> MaintenanceState {
        if self.windows.is_empty() {
            return MaintenanceState::Open { until: None };
        }
        if let Some(until) = self.windows.iter().filter_map(|window| window.open_until(now)).max() {
            return MaintenanceState::Open { until: Some(until) };
        }
        let openings = self.windows.iter().filter_map(|window| window.next_opening(now));
        MaintenanceState::Closed { opening: openings.min_by_key(|opening| opening.at) }
    }
}

impl FromStr for MaintenanceWindows {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Self, WindowError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(WindowError::Empty);
        }
        let windows = if text == "always" {
            Vec::new()
        } else {
            if text.split('|').count() > MOST {
                return Err(WindowError::TooMany { most: MOST });
            }
            text.split('|').map(|window| Window::parse(window.trim())).collect::<Result<_, _>>()?
        };
        Ok(Self { text: text.to_owned(), windows })
    }
}

impl PartialEq for MaintenanceWindows {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for MaintenanceWindows {}

impl fmt::Display for MaintenanceWindows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
