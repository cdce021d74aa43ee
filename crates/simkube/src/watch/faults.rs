//! The faults that are in force.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{WatchFault, Watches};
use crate::write::Write;

/// The faults that are in force.
#[derive(Default)]
pub(crate) struct Faults {
    dropped: Vec<Dropped>,
    /// Later ones win.
    lasting: Vec<(Watches, Pace)>,
    /// Who is cut off, and how many watches had been started by then.
    cuts: Vec<(Watches, u64)>,
    expired: Vec<Watches>,
    started: u64,
}

struct Dropped {
    whose: Watches,
    since: u64,
    left: usize,
    revisions: BTreeSet<u64>,
}

/// How events reach a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    AtOnce,
    Later(Duration),
    Merged(Duration),
    Never,
}

impl Faults {
    pub(crate) fn add(&mut self, whose: Watches, fault: WatchFault, revision: u64) {
        match fault {
            WatchFault::DropEvents(left) => {
                self.dropped.push(Dropped { whose, since: revision, left, revisions: BTreeSet::new() });
            }
            WatchFault::Merge(window) => self.lasting.push((whose, Pace::Merged(window))),
            WatchFault::Delay(delay) => self.lasting.push((whose, Pace::Later(delay))),
            WatchFault::BookmarksOnly => self.lasting.push((whose, Pace::Never)),
            WatchFault::Cut => self.cuts.push((whose, self.started)),
            WatchFault::Expire => self.expired.push(whose),
        }
    }

    pub(crate) fn heal(&mut self) {
        self.lasting.clear();
        self.expired.clear();
        for dropped in &mut self.dropped {
            dropped.left = 0;
        }
    }

    /// Notes which of these events are lost.
    pub(crate) fn written(&mut self, writes: &[Arc<Write>]) {
        for write in writes {
            for dropped in self.dropped.iter_mut().filter(|dropped| dropped.left > 0) {
                if dropped.whose.covers_resource(write.resource) && write.revision > dropped.since {
                    dropped.left -= 1;
                    dropped.revisions.insert(write.revision);
                }
            }
        }
    }

    /// The number of a watch that starts.
    pub(crate) fn start(&mut self) -> u64 {
        self.started += 1;
        self.started
    }

    /// Whether a watch that starts is told that it comes too late. Counts once.
    pub(crate) fn take_expiry(&mut self, resource: &str, who: &str) -> bool {
        let found = self.expired.iter().position(|whose| whose.covers(resource, who));
        found.map(|place| self.expired.remove(place)).is_some()
    }

    pub(crate) fn is_cut(&self, number: u64, resource: &str, who: &str) -> bool {
        self.cuts.iter().any(|(whose, last)| number <= *last && whose.covers(resource, who))
    }

    pub(crate) fn is_dropped(&self, revision: u64, resource: &str, who: &str) -> bool {
        self.dropped
            .iter()
            .any(|dropped| dropped.revisions.contains(&revision) && dropped.whose.covers(resource, who))
    }

    pub(crate) fn pace(&self, resource: &str, who: &str) -> Pace {
        let last = self.lasting.iter().rev().find(|(whose, _)| whose.covers(resource, who));
        last.map_or(Pace::AtOnce, |(_, pace)| *pace)
    }
}
