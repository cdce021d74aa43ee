//! Who waits for a turn, and whose turn it is.
//!
//! The most urgent goes first, and who came first among equals. Two of eight turns that several kinds of calls compete for
//! are set aside, the seventh for a creation and the eighth for a poll, so that deletions without end hold up nobody for ever.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Notify;

use super::Urgency;

/// So many turns in a row belong together.
const ROUND: usize = 8;

/// A waiter: its kind and when it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    urgency: Urgency,
    number: u64,
}

#[derive(Debug, Default)]
pub(super) struct Line {
    lanes: [BTreeMap<u64, Arc<Notify>>; 3],
    came: u64,
    round: usize,
}

impl Line {
    /// Joins the line. The bell rings when it may be one's turn.
    pub(super) fn join(&mut self, urgency: Urgency) -> (Ticket, Arc<Notify>) {
        let number = self.came;
        self.came += 1;
        let bell = Arc::new(Notify::new());
        self.lanes[urgency as usize].insert(number, bell.clone());
        (Ticket { urgency, number }, bell)
    }

    /// Whose turn it is.
    pub(super) fn head(&self) -> Option<Ticket> {
        let reserved = match self.round {
            6 => Some(Urgency::Create),
            7 => Some(Urgency::Poll),
            _ => None,
        };
        reserved.into_iter().chain(Urgency::ALL).find_map(|urgency| {
            let (number, _) = self.lanes[urgency as usize].first_key_value()?;
            Some(Ticket { urgency, number: *number })
        })
    }

    /// So many turns at least are given to others before it is this one's.
    pub(super) fn ahead(&self, ticket: Ticket) -> usize {
        if self.head() == Some(ticket) {
            return 0;
        }
        let lane = ticket.urgency as usize;
        let in_lane = self.lanes[lane].range(..ticket.number).count();
        let more_urgent: usize = self.lanes[..lane].iter().map(BTreeMap::len).sum();
        (in_lane + more_urgent).min(in_lane * ROUND)
    }

    /// Leaves, served or not. Nothing when it has left already.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.lanes[ticket.urgency as usize].remove(&ticket.number);
    }

    /// Counts a turn that is about to be given.
    pub(super) fn count_turn(&mut self) {
        let kinds = self.lanes.iter().filter(|lane| !lane.is_empty()).count();
        self.round = if kinds > 1 { (self.round + 1) % ROUND } else { 0 };
    }

    /// Wakes whose turn it is.
    pub(super) fn ring_head(&self) {
        if let Some(Ticket { urgency, number }) = self.head()
            && let Some(bell) = self.lanes[urgency as usize].get(&number)
        {
            bell.notify_one();
        }
    }

    /// Wakes all, because all must wait longer.
    pub(super) fn ring_all(&self) {
        self.lanes.iter().flat_map(BTreeMap::values).for_each(|bell| bell.notify_one());
    }
}
