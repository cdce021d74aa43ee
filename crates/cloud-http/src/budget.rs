//! How often one credential may call one class of endpoints: a token bucket that honours the wait a cloud asks for, and
//! lets deletions go before creations and those before polls.
//!
//! There is no task behind it: whoever's turn it is sleeps until the bucket lets it through, and rings for the next one.
//! Time is tokio's, so that tests can pause it.

mod bucket;
mod budgets;
mod key;
mod line;
mod rate;
mod turn;
mod urgency;

#[cfg(test)]
mod tests;

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

pub use self::budgets::Budgets;
pub use self::key::BudgetKey;
pub use self::rate::Rate;
pub use self::turn::{NoTurn, Turn};
pub use self::urgency::Urgency;

use self::bucket::Bucket;
use self::line::{Line, Ticket};

/// One bucket, and who waits for it.
#[derive(Debug)]
pub struct Budget {
    interval: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bucket: Bucket,
    line: Line,
}

/// A place in the line, given back when whoever waits goes away.
struct Place<'a> {
    budget: &'a Budget,
    ticket: Ticket,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.budget.state.lock();
        state.line.leave(self.ticket);
        state.line.ring_head();
    }
}

/// What a look at the bucket says to a waiter.
enum Look {
    Served,
    /// It is its turn, and the bucket has a call for it then.
    Next(Duration),
    /// Others come first; not before that time.
    Behind(Duration),
}

impl Budget {
    /// A full bucket. What is no positive rate counts as one call an hour.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        let state = State { bucket: Bucket::new(rate, Instant::now()), line: Line::default() };
        Self { interval: rate.interval(), state: Mutex::new(state) }
    }

    /// Waits for the right to make one call, at most for `within`. The most urgent is served first, and who came first among
    /// equals; of eight turns that are competed for, one is a creation's and one a poll's, so that none waits for ever.
    ///
    /// # Errors
    /// When there is none in that time; at once, if that can be known.
    pub async fn turn(&self, urgency: Urgency, within: Duration) -> Result<Turn, NoTurn> {
        let came = Instant::now();
        let (ticket, bell) = self.state.lock().line.join(urgency);
        let place = Place { budget: self, ticket };
        loop {
            let now = Instant::now();
            let left = within.saturating_sub(now.duration_since(came));
            let wait = match self.look(place.ticket, now) {
                Look::Served => return Ok(Turn { waited: now.duration_since(came), given: now }),
                Look::Next(wait) | Look::Behind(wait) if wait > left || left.is_zero() => {
                    return Err(NoTurn { retry_after: wait.max(self.interval) });
                }
                Look::Next(wait) => wait,
                Look::Behind(_) => left,
            };
            // Whichever is first; the next look tells which. A bell that rang meanwhile is heard at once.
            let _rang_in_time = timeout(wait, bell.notified()).await.is_ok();
        }
    }

    /// The cloud wants to be left alone for so long; `None` when it does not say for how long, which makes a pause that
    /// grows with each such answer until a good one comes. Nobody is served until then.
    pub fn throttled(&self, wait: Option<Duration>) {
        let mut state = self.state.lock();
        state.bucket.pause(wait, Instant::now());
        state.line.ring_all();
    }

    /// The call had an answer that asked for no pause.
    pub fn answered(&self, turn: &Turn) {
        self.state.lock().bucket.answered(turn.given);
    }

    fn look(&self, ticket: Ticket, now: Instant) -> Look {
        let mut state = self.state.lock();
        let wait = state.bucket.wait(state.line.ahead(ticket), now);
        if state.line.head() != Some(ticket) {
            return Look::Behind(wait);
        }
        if !wait.is_zero() {
            return Look::Next(wait);
        }
        state.bucket.take(now);
        state.line.count_turn();
        state.line.leave(ticket);
        state.line.ring_head();
        Look::Served
    }

    fn is_as_new(&self) -> bool {
        self.state.lock().bucket.is_as_new(Instant::now())
    }
}
