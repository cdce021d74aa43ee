//! One watch: what was there, what happens, bookmarks, and its end.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::event::{self, Mark};
use crate::http::Shape;
use crate::kind::ResourceKind;
use crate::refusal::Refusal;
use crate::selector::Selector;
use crate::simkube::SimKube;
use crate::store::Past;

/// How often a watch that wants bookmarks is told how far it has come.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

/// The last bookmark comes so long before the end.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

/// What a client that watches has asked for.
pub(crate) struct Order {
    pub(crate) kind: &'static ResourceKind,
    pub(crate) selector: Selector,
    pub(crate) shape: Shape,
    pub(crate) who: String,
    pub(crate) start: Start,
    pub(crate) bookmarks: bool,
    pub(crate) time_limit: Duration,
}

/// Where a watch starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// After a revision.
    After(u64),
    /// With all that is there.
    State(Past),
    /// With all that is there, and a bookmark behind it.
    StateAndBookmark(Past),
}

/// One watch.
pub(crate) struct Stream {
    pub(super) sim: SimKube,
    pub(super) order: Order,
    number: u64,
    /// Up to here the log was looked at.
    pub(super) seen: u64,
    ready: VecDeque<String>,
    /// Nothing comes after what is ready.
    is_over: bool,
    changed: watch::Receiver<()>,
    ends: Instant,
    next_bookmark: Option<Instant>,
    /// What the next bookmark says.
    mark: Mark,
}

impl Stream {
    pub(crate) fn start(sim: SimKube, order: Order) -> Self {
        let (changed, now) = (sim.changes(), Instant::now());
        let number = sim.with_faults(|faults| faults.start());
        let ends = now + order.time_limit;
        let next_bookmark = next_bookmark(now, ends).filter(|_| order.bookmarks);
        let mut stream = Self {
            sim,
            order,
            number,
            seen: 0,
            ready: VecDeque::new(),
            is_over: false,
            changed,
            ends,
            next_bookmark,
            mark: Mark::Progress,
        };
        stream.begin();
        stream
    }

    fn begin(&mut self) {
        let (resource, who) = (self.order.kind.plural, self.order.who.as_str());
        let is_expired = self.sim.with_faults(|faults| faults.take_expiry(resource, who));
        let compacted = self.sim.read(|store| store.compacted());
        let past = match self.order.start {
            Start::After(revision) if is_expired || revision < compacted => {
                let message = format!("too old resource version: {revision} ({compacted})");
                return self.refuse(&Refusal::new(410, "Expired", message));
            }
            Start::After(revision) => {
                self.seen = revision;
                return;
            }
            _ if is_expired => return self.refuse(&Refusal::new(410, "Expired", "too old resource version")),
            Start::State(past) | Start::StateAndBookmark(past) => past,
        };
        let Order { kind, selector, shape, .. } = &self.order;
        let (revision, lines) = self.sim.read(|store| {
            let objects = store.all(kind, past).filter(|(_, object)| selector.selects(object));
            let lines: Vec<String> = objects.map(|(_, object)| event::initial(&object, *shape)).collect();
            (past.revision(store), lines)
        });
        self.seen = revision;
        self.ready.extend(lines);
        // Whoever starts with the state is told when that was all, at once if he asks for it.
        self.mark = Mark::InitialEventsEnd;
        if matches!(self.order.start, Start::StateAndBookmark(_)) {
            let bookmark = self.bookmark(revision);
            self.ready.push_back(bookmark);
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        self.ready.push_back(event::error(refusal));
        self.is_over = true;
    }

    /// The next line; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            if self.is_cut() {
                return None;
            }
            if let Some(line) = self.ready.pop_front() {
                return Some(line);
            }
            if self.is_over || Instant::now() >= self.ends {
                return None;
            }
            self.changed.mark_unchanged();
            let found = self.look();
            self.ready.extend(found.lines);
            if self.ready.is_empty() {
                self.wait(found.again_at).await;
            }
        }
    }

    async fn wait(&mut self, again_at: Option<Duration>) {
        let mut until = self.ends;
        if let Some(at) = again_at {
            until = until.min(self.sim.instant(at));
        }
        if let Some(at) = self.next_bookmark {
            until = until.min(at);
        }
        tokio::select! {
            biased;
            _ = self.changed.changed() => {}
            () = tokio::time::sleep_until(until) => {}
        }
        let now = Instant::now();
        if self.next_bookmark.is_some_and(|at| now >= at) {
            self.next_bookmark = next_bookmark(now, self.ends);
            let bookmark = self.bookmark(self.seen);
            self.ready.push_back(bookmark);
        }
    }

    pub(super) fn bookmark(&mut self, revision: u64) -> String {
        let mark = std::mem::replace(&mut self.mark, Mark::Progress);
        event::bookmark(self.order.kind, revision, mark, self.order.shape)
    }

    fn is_cut(&self) -> bool {
        self.sim.with_faults(|faults| faults.is_cut(self.number, self.order.kind.plural, &self.order.who))
    }
}

fn next_bookmark(now: Instant, ends: Instant) -> Option<Instant> {
    let last = ends.checked_sub(LAST_BOOKMARK)?;
    (last > now).then(|| last.min(now + BOOKMARK_EVERY))
}
