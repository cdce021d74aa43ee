//! Sees every request of the controller, keeps the log of them, and decides which of them is disturbed and how.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use futures::FutureExt as _;
use millwright_simcloud::Effect;
use millwright_simkube::{Gate, RequestInfo, SimKube, Verb, Verdict, WatchFault, Watches};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::call::{Party, Point, Signature};

/// When in the life of a request the controller dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// It was not sent.
    Before,
    /// It had its effect, nobody heard.
    Unanswered,
    /// The answer came, and nothing could be done with it.
    After,
}

impl Moment {
    pub(crate) const ALL: [Self; 3] = [Self::Before, Self::Unanswered, Self::After];
}

/// What the cloud does to a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CloudFault {
    /// What the cloud can do itself.
    Effect(Effect),
    /// The connection breaks before it.
    Reset,
    /// It has its effect; the connection breaks before the answer.
    AnswerLost,
    /// It has no effect, and no answer ever comes.
    Silence,
    /// It has its effect, and no answer ever comes.
    EffectThenSilence,
    /// It is answered as if it had its effect, which comes this much later.
    EffectLater(Duration),
    /// A list shows nothing.
    EmptyList,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Strike {
    Crash(Moment),
    Api(Verdict),
    Cloud(CloudFault),
    /// Not of a request: what happens to watches when that object was written so many times.
    Watch(Watches, WatchFault),
}

/// Which requests are struck, and how.
#[derive(Clone, Debug, Default)]
pub(crate) enum Plan {
    /// None.
    #[default]
    Calm,
    /// That one and the `more` that follow it of the same signature.
    At { point: Point, strike: Strike, more: usize },
    /// All of a party while it is switched on by hand.
    Everything { party: Party, strike: Strike },
}

/// A request that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) who: String,
    pub(crate) at: Duration,
    pub(crate) point: Point,
}

/// A process that stops as a whole, as under SIGSTOP, and goes on when it is told to, its clock having gone on.
pub(crate) struct Sleep {
    pub(crate) who: String,
    /// The request before which it falls asleep.
    pub(crate) point: Point,
    pub(crate) asleep: Sender<()>,
    pub(crate) wake: Receiver<()>,
    /// What its clock shows more when it wakes.
    pub(crate) slept: Duration,
}

#[derive(Default)]
struct State {
    sleep: Option<Sleep>,
    log: Vec<Logged>,
    counts: HashMap<(String, Signature), usize>,
    events: HashMap<String, usize>,
    departed: HashMap<String, usize>,
    plan: Plan,
    struck: usize,
    /// Requests of these are never answered again.
    dead: Vec<String>,
    crashed: Option<String>,
    broken: Vec<String>,
}

/// The conductor. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Conductor {
    state: Arc<Mutex<State>>,
    crash: Arc<Notify>,
    started: Instant,
}

impl Conductor {
    pub(crate) fn new(plan: Plan) -> Self {
        let state = State { plan, ..State::default() };
        Self { state: Arc::new(Mutex::new(state)), crash: Arc::default(), started: Instant::now() }
    }

    /// A write to an API server leaves the process; it arrives when it is judged.
    pub(crate) fn departs(&self, who: &str) {
        *self.state.lock().departed.entry(who.to_owned()).or_default() += 1;
    }

    /// How many writes to API servers of one process are on their way.
    pub(crate) fn on_the_wire(&self, who: &str) -> usize {
        let state = self.state.lock();
        let writes = |logged: &&Logged| {
            logged.who == who && logged.point.signature.is_write && logged.point.signature.party == Party::Api
        };
        let departed = state.departed.get(who).copied().unwrap_or_default();
        departed - state.log.iter().filter(writes).count()
    }

    /// Lets a process fall asleep. Its runtime must have a thread of its own, which is blocked.
    pub(crate) fn put_to_sleep(&self, sleep: Sleep) {
        self.state.lock().sleep = Some(sleep);
    }

    fn sleep(&self, who: &str, point: &Point) {
        let sleep = {
            let mut state = self.state.lock();
            let due = state.sleep.as_ref().is_some_and(|sleep| sleep.who == who && sleep.point == *point);
            if due { state.sleep.take() } else { None }
        };
        if let Some(sleep) = sleep {
            sleep.asleep.send(()).unwrap();
            // A test that has ended wakes nobody.
            let _ = sleep.wake.recv();
            // Its first poll sets the clock.
            let _ = tokio::time::advance(sleep.slept).now_or_never();
        }
    }

    /// Notes a write to a kind, and does to the watches what is planned for this moment.
    pub(crate) fn written(&self, resource: &str, kube: &SimKube) {
        let mut state = self.state.lock();
        let count = state.events.entry(resource.to_owned()).or_default();
        *count += 1;
        let event = Point { signature: Signature::event(resource), nth: *count };
        let due = match &state.plan {
            Plan::At { point, strike: Strike::Watch(watches, fault), .. } if *point == event => {
                Some((watches.clone(), fault.clone()))
            }
            _ => None,
        };
        if let Some((watches, fault)) = due {
            state.struck += 1;
            drop(state);
            kube.watch_faults(watches, fault);
        }
    }

    /// How many events there were of each kind.
    pub(crate) fn events(&self) -> HashMap<String, usize> {
        self.state.lock().events.clone()
    }

    pub(crate) fn set_plan(&self, plan: Plan) {
        self.state.lock().plan = plan;
    }

    /// Notes a request, and says what becomes of it.
    pub(crate) fn judge(&self, who: &str, signature: Signature) -> Option<Strike> {
        let (point, strike) = self.note(who, signature);
        self.sleep(who, &point);
        strike
    }

    fn note(&self, who: &str, signature: Signature) -> (Point, Option<Strike>) {
        let mut state = self.state.lock();
        let state = &mut *state;
        if state.dead.iter().any(|dead| dead == who) {
            return (Point { signature, nth: 0 }, Some(Strike::Crash(Moment::Before)));
        }
        let count = state.counts.entry((who.to_owned(), signature.clone())).or_default();
        *count += 1;
        let point = Point { signature, nth: *count };
        let strike = match &state.plan {
            Plan::Calm => None,
            Plan::At { point: aim, strike, more } => {
                // Only the first controller is aimed at: the next one must find its way.
                let hit = point.signature == aim.signature
                    && (aim.nth..=aim.nth + more).contains(&point.nth)
                    && state.struck <= *more
                    && (who == "c1" || !matches!(strike, Strike::Crash(_)));
                hit.then(|| strike.clone())
            }
            Plan::Everything { party, strike } => (point.signature.party == *party).then(|| strike.clone()),
        };
        state.log.push(Logged { who: who.to_owned(), at: self.started.elapsed(), point: point.clone() });
        if strike.is_some() {
            state.struck += 1;
        }
        if let Some(Strike::Crash(moment)) = &strike {
            // What is sent after the answer is not sent any more.
            state.dead.push(who.to_owned());
            if *moment != Moment::Unanswered {
                state.crashed = Some(who.to_owned());
                self.crash.notify_one();
            }
        }
        (point, strike)
    }

    /// A request that was to be the last had its effect.
    pub(crate) fn dies(&self, who: &str) {
        self.state.lock().crashed = Some(who.to_owned());
        self.crash.notify_one();
    }

    /// Waits until the controller is to die.
    pub(crate) async fn crashed(&self) {
        loop {
            self.crash.notified().await;
            if self.state.lock().crashed.take().is_some() {
                return;
            }
        }
    }

    /// Nothing that this one sends is heard any more.
    pub(crate) fn silence(&self, who: &str) {
        self.state.lock().dead.push(who.to_owned());
    }

    pub(crate) fn log(&self) -> Vec<Logged> {
        self.state.lock().log.clone()
    }

    pub(crate) fn struck(&self) -> usize {
        self.state.lock().struck
    }

    /// Notes an invariant that does not hold.
    pub(crate) fn broken(&self, what: String) {
        let mut state = self.state.lock();
        if !state.broken.contains(&what) {
            state.broken.push(what);
        }
    }

    pub(crate) fn all_broken(&self) -> Vec<String> {
        self.state.lock().broken.clone()
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Gate for Conductor {
    fn judge(&self, request: &RequestInfo) -> Verdict {
        if request.resource == "leases" || request.who == "lease" {
            return Verdict::Pass;
        }
        let mut what = request.resource.clone();
        if !request.name.is_empty() {
            what = format!("{what}/{}", request.name);
        }
        if !request.subresource.is_empty() {
            what = format!("{what}/{}", request.subresource);
        }
        let verb = request.verb.to_string();
        let signature = Signature::new(Party::Api, &verb, &what, request.is_write);
        match Conductor::judge(self, &request.who, signature) {
            None | Some(Strike::Cloud(_) | Strike::Watch(..) | Strike::Crash(Moment::After)) => Verdict::Pass,
            Some(Strike::Crash(Moment::Before)) => Verdict::Hang,
            Some(Strike::Crash(Moment::Unanswered)) => {
                // Nothing is awaited between this verdict and the effect, and the death waits for its turn to run.
                self.dies(&request.who);
                if request.verb == Verb::Watch { Verdict::Hang } else { Verdict::NeverAnswer }
            }
            Some(Strike::Api(verdict)) => verdict,
        }
    }
}
