//! What a watch of all machines adds up to: how few were available and how many lived at the same time. Each change counts, not only
//! what a poll happens to meet.

use std::collections::BTreeMap;

use serde_json::Value;

use super::pool::Machine;

/// The extremes since judging began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    machines: BTreeMap<String, Machine>,
    extremes: Option<Extremes>,
}

/// How far it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extremes {
    /// Fewest machines that were Running and not being deleted.
    pub(super) fewest_available: usize,
    /// Most machines that were not being deleted.
    pub(super) most_live: usize,
}

impl Tally {
    /// Counts an event as `kubectl get --watch --output-watch-events -o json` prints it.
    pub(super) fn count(&mut self, event: &Value) {
        let machine = Machine::read(&event["object"]);
        match event["type"].as_str() {
            Some("ADDED" | "MODIFIED") => drop(self.machines.insert(machine.name.clone(), machine)),
            Some("DELETED") => drop(self.machines.remove(&machine.name)),
            // Bookmarks and errors say nothing about a machine.
            Some(_) | None => return,
        }
        let Extremes { fewest_available, most_live } = self.now();
        if let Some(extremes) = &mut self.extremes {
            extremes.fewest_available = extremes.fewest_available.min(fewest_available);
            extremes.most_live = extremes.most_live.max(most_live);
        }
    }

    /// From now on extremes are kept; the machines that are there already must be known by now.
    pub(super) fn judge(&mut self) {
        self.extremes = Some(self.now());
    }

    /// How it is now.
    pub(super) fn now(&self) -> Extremes {
        Extremes {
            fewest_available: self.machines.values().filter(|machine| machine.is_available()).count(),
            most_live: self.machines.values().filter(|machine| !machine.is_deleting).count(),
        }
    }

    /// How far it went since judging began.
    pub(super) fn extremes(&self) -> Extremes {
        self.extremes.unwrap_or_else(|| self.now())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: &str, name: &str, phase: &str) -> Value {
        let mut metadata = json!({ "name": name });
        if phase == "Terminating" {
            metadata["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        let status = json!({ "currentStatus": { "phase": phase } });
        json!({ "type": kind, "object": { "metadata": metadata, "status": status } })
    }

    #[test]
    fn extremes_are_kept_from_the_moment_of_judging() {
        let mut tally = Tally::default();
        for name in ["a", "b", "c"] {
            tally.count(&event("ADDED", name, "Running"));
        }
        tally.judge();
        assert_eq!(tally.extremes(), Extremes { fewest_available: 3, most_live: 3 });
        tally.count(&event("ADDED", "d", "Pending"));
        tally.count(&event("MODIFIED", "d", "Running"));
        tally.count(&event("MODIFIED", "a", "Terminating"));
        tally.count(&event("MODIFIED", "b", "Unknown"));
        tally.count(&event("MODIFIED", "b", "Running"));
        tally.count(&event("DELETED", "a", "Terminating"));
        assert_eq!(tally.extremes(), Extremes { fewest_available: 2, most_live: 4 });
        assert_eq!(tally.now(), Extremes { fewest_available: 3, most_live: 3 });
    }

    #[test]
    fn what_is_no_machine_changes_nothing() {
        let mut tally = Tally::default();
        tally.count(&json!({ "type": "BOOKMARK", "object": {} }));
        tally.count(&json!("nonsense"));
        assert_eq!(tally, Tally::default());
    }
}
