//! Who drains, and who waits for it, where only so many nodes may be drained at the same time. First come, first served.
//! Forgotten at a restart: whoever drains then asks again.

use std::collections::{BTreeSet, VecDeque};

use millwright_decide::drain::{DrainSlot, SlotUse};

/// The slots of a fleet, by machine name.
#[derive(Default)]
pub(crate) struct DrainSlots {
    held: BTreeSet<String>,
    line: VecDeque<String>,
}

impl DrainSlots {
    /// Whether the machine may drain now.
    pub(crate) fn ask(&self, machine: &str, limit: Option<usize>) -> DrainSlot {
        let Some(limit) = limit else { return DrainSlot::Granted };
        let before = self.line.iter().position(|waiting| waiting == machine).unwrap_or(self.line.len());
        if self.held.contains(machine) || before < self.free(limit) {
            DrainSlot::Granted
        } else {
            DrainSlot::Waits { limit }
        }
    }

    /// Notes what came of it, and names those whose turn it is now.
    pub(crate) fn settle(&mut self, machine: &str, use_: SlotUse, limit: Option<usize>) -> Vec<String> {
        let Some(limit) = limit else { return Vec::new() };
        let free_before = self.free(limit);
        let is_first = self.line.iter().take(free_before).any(|waiting| waiting == machine);
        match use_ {
            SlotUse::Undecided => return Vec::new(),
            SlotUse::Held => {
                self.leave_line(machine);
                self.held.insert(machine.to_owned());
                return Vec::new();
            }
            SlotUse::Awaited => {
                if !self.line.iter().any(|waiting| waiting == machine) {
                    self.line.push_back(machine.to_owned());
                }
                return Vec::new();
            }
            SlotUse::None => {
                let had_one = self.held.remove(machine);
                self.leave_line(machine);
                if !had_one && !is_first {
                    return Vec::new();
                }
            }
        }
        self.line.iter().take(self.free(limit)).cloned().collect()
    }

    fn free(&self, limit: usize) -> usize {
        limit.saturating_sub(self.held.len())
    }

    fn leave_line(&mut self, machine: &str) {
        self.line.retain(|waiting| waiting != machine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITS: DrainSlot = DrainSlot::Waits { limit: 1 };

    #[test]
    fn slots_are_given_in_the_order_in_which_they_were_asked_for() {
        let (mut slots, limit) = (DrainSlots::default(), Some(1));
        assert_eq!(slots.ask("a", limit), DrainSlot::Granted);
        slots.settle("a", SlotUse::Held, limit);
        for waiting in ["b", "c"] {
            assert_eq!(slots.ask(waiting, limit), WAITS);
            slots.settle(waiting, SlotUse::Awaited, limit);
        }
        assert_eq!(slots.ask("a", limit), DrainSlot::Granted, "it has one");
        assert_eq!(slots.settle("a", SlotUse::None, limit), ["b"]);
        assert_eq!(slots.ask("c", limit), WAITS);
        assert_eq!(slots.ask("d", limit), WAITS, "those in line come first");
        assert_eq!(slots.ask("b", limit), DrainSlot::Granted);
        // It has nothing to drain any more: the next one has its turn.
        assert_eq!(slots.settle("b", SlotUse::None, limit), ["c"]);
        assert_eq!(slots.settle("c", SlotUse::Held, limit), [""; 0]);
        assert_eq!(slots.settle("z", SlotUse::None, limit), [""; 0], "who had none frees none");
        assert_eq!(slots.settle("c", SlotUse::Undecided, limit), [""; 0]);
        assert_eq!(slots.ask("d", limit), WAITS, "it is still held");
        slots.settle("c", SlotUse::None, limit);
        assert!(slots.held.is_empty() && slots.line.is_empty());
    }

    #[test]
    fn without_a_limit_nobody_waits_and_nothing_is_kept() {
        let mut slots = DrainSlots::default();
        for machine in ["a", "b"] {
            assert_eq!(slots.ask(machine, None), DrainSlot::Granted);
            slots.settle(machine, SlotUse::Held, None);
        }
        assert!(slots.held.is_empty());
    }
}
