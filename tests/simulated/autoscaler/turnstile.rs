//! A gate that lets others go first: it holds up chosen writes of the controller on their way, so that what somebody else does
//! lands between a decision and its write.

use std::sync::Arc;
use std::time::Duration;

use millwright_simkube::{Gate, RequestInfo, Verdict};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::world::{Conductor, World};

/// How long a write is held up.
const PAUSE: Duration = Duration::from_secs(1);
/// What is not reached in this time never is: there are fewer writes than that.
const PATIENCE: Duration = Duration::from_secs(1800);

/// What becomes of one write.
#[derive(Clone, Debug)]
pub(super) enum Disturbance {
    /// The API server does that.
    Verdict(Verdict),
    /// The controller dies before it.
    CrashBefore,
    /// The controller dies when it had its effect.
    CrashAfter,
}

#[derive(Default)]
struct State {
    is_counting: bool,
    count: usize,
    stops: Vec<usize>,
    disturbance: Option<(usize, Disturbance)>,
}

/// The gate. Clones are the same one.
#[derive(Clone)]
pub(super) struct Turnstile {
    conductor: Conductor,
    state: Arc<Mutex<State>>,
    reached: Arc<watch::Sender<usize>>,
}

impl Turnstile {
    /// Puts it before a world's API server.
    pub(super) fn before(world: &World) -> Self {
        let conductor = world.conductor.clone();
        let gate = Self { conductor, state: Arc::default(), reached: Arc::new(watch::Sender::new(0)) };
        world.kube.set_gate(Arc::new(gate.clone()));
        gate
    }

    /// Counts the controller's writes from now on, and holds up those of these numbers.
    pub(super) fn count(&self, stops: &[usize]) {
        *self.state.lock() = State { is_counting: true, count: 0, stops: stops.to_vec(), disturbance: None };
        self.reached.send_replace(0);
    }

    /// Counts the controller's writes from now on, and disturbs that one.
    pub(super) fn disturb(&self, nth: usize, disturbance: Disturbance) {
        self.count(&[]);
        self.state.lock().disturbance = Some((nth, disturbance));
    }

    /// How many writes there were since.
    pub(super) fn counted(&self) -> usize {
        self.state.lock().count
    }

    /// Waits for that write to be on its way. The first is number 1; nothing is waited for at 0.
    pub(super) async fn reached(&self, nth: usize) {
        let mut reached = self.reached.subscribe();
        let reaches = reached.wait_for(|count| *count >= nth);
        // A sequence that has become shorter ends here: then it is done at rest.
        let _ = tokio::time::timeout(PATIENCE, reaches).await;
    }
}

impl Gate for Turnstile {
    fn judge(&self, request: &RequestInfo) -> Verdict {
        let verdict = Gate::judge(&self.conductor, request);
        let is_aside = ["leases", "events", "secrets"].contains(&request.resource.as_str());
        if !request.is_write || is_aside || !request.who.starts_with('c') {
            return verdict;
        }
        let (count, is_stop, disturbance) = {
            let mut state = self.state.lock();
            if !state.is_counting {
                return verdict;
            }
            state.count += 1;
            let count = state.count;
            let due = state.disturbance.take_if(|(nth, _)| *nth == count);
            (count, state.stops.contains(&count), due)
        };
        self.reached.send_replace(count);
        match disturbance {
            Some((_, Disturbance::Verdict(verdict))) => return verdict,
            Some((_, Disturbance::CrashBefore)) => {
                self.conductor.dies(&request.who);
                return Verdict::Hang;
            }
            Some((_, Disturbance::CrashAfter)) => {
                self.conductor.dies(&request.who);
                return Verdict::NeverAnswer;
            }
            None => {}
        }
        if is_stop { Verdict::Delay(PAUSE, Box::new(verdict)) } else { verdict }
    }
}
