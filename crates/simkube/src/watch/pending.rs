//! What of the log a watch is to be told now.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{event, faults::Pace, stream::Stream};
use crate::{object, write::Write};

/// What a look at the log came to.
pub(super) struct Found {
    pub(super) lines: Vec<String>,
    /// When it is worth looking again although nothing was written, since the start of the server.
    pub(super) again_at: Option<Duration>,
}

impl Stream {
    /// Looks at what was written since the last look.
    pub(super) fn look(&mut self) -> Found {
        let resource = self.order.kind.plural;
        let now = self.sim.since_start();
        let pace = self.sim.with_faults(|faults| faults.pace(resource, &self.order.who));
        let (current, writes) = self.sim.read(|store| {
            let log = store.log();
            let from = log.partition_point(|write| write.revision <= self.seen);
            (
                store.revision(),
                log[from..].iter().filter(|write| self.concerns(write)).cloned().collect::<Vec<_>>(),
            )
        });
        match pace {
            Pace::AtOnce => {
                self.seen = self.seen.max(current);
                Found { lines: self.lines(&writes), again_at: None }
            }
            Pace::Never => {
                let lines = if self.order.bookmarks && !writes.is_empty() {
                    vec![self.bookmark(current)]
                } else {
                    Vec::new()
                };
                self.seen = self.seen.max(current);
                Found { lines, again_at: None }
            }
            Pace::Later(delay) => {
                let ready = writes.partition_point(|write| write.since_start + delay <= now);
                let again_at = writes.get(ready).map(|write| write.since_start + delay);
                self.seen = if again_at.is_some() {
                    writes[..ready].last().map_or(self.seen, |write| write.revision)
                } else {
                    self.seen.max(current)
                };
                Found { lines: self.lines(&writes[..ready]), again_at }
            }
            Pace::Merged(window) => {
                let opens = writes.first().map(|write| write.since_start + window);
                if opens.is_some_and(|opens| opens > now) {
                    return Found { lines: Vec::new(), again_at: opens };
                }
                self.seen = self.seen.max(current);
                Found { lines: self.merged(&writes), again_at: None }
            }
        }
    }

    fn concerns(&self, write: &Write) -> bool {
        write.kind == self.order.kind
    }

    fn is_dropped(&self, write: &Write) -> bool {
        self.sim.with_faults(|faults| faults.is_dropped(write.revision, write.resource, &self.order.who))
    }

    fn lines(&self, writes: &[Arc<Write>]) -> Vec<String> {
        let told = writes.iter().filter(|write| !self.is_dropped(write));
        told.filter_map(|write| self.line(write, write)).collect()
    }

    /// One line for an object, in the order in which they were last changed.
    fn merged(&self, writes: &[Arc<Write>]) -> Vec<String> {
        let mut spans: BTreeMap<String, (&Arc<Write>, &Arc<Write>)> = BTreeMap::new();
        for write in writes.iter().filter(|write| !self.is_dropped(write)) {
            let key = object::key(&write.namespace, &write.name);
            spans.entry(key).and_modify(|(_, last)| *last = write).or_insert((write, write));
        }
        let mut spans: Vec<_> = spans.into_values().collect();
        spans.sort_by_key(|(_, last)| last.revision);
        spans.into_iter().filter_map(|(first, last)| self.line(first, last)).collect()
    }

    fn line(&self, first: &Write, last: &Write) -> Option<String> {
        let (selector, shape) = (&self.order.selector, self.order.shape);
        event::change(first.before.as_ref(), last.after.as_ref(), last.revision, selector, shape)
    }
}
