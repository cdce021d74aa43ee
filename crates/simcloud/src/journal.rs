//! Every cloud call that was answered, in order: for tests that count calls and for people who ask what happened.
//!
//! Kept in memory, the newest [`CAPACITY`] entries; sequence numbers start again with the process.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::Serialize;

use crate::operation::Operation;

const CAPACITY: usize = 100_000;

/// One cloud call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// Its number since the process started.
    pub seq: u64,
    /// When it was answered (or would have been, when a fault held the answer back).
    pub time: Timestamp,
    /// The call.
    pub operation: Operation,
    /// The name or id it was about, when it was about one.
    pub subject: Option<String>,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The error code, when it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<crate::refusal::Code>,
    /// The id in the `X-Request-Id` header.
    pub request_id: String,
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: VecDeque<JournalEntry>,
    last_seq: u64,
}

impl Journal {
    /// Appends an entry; its `seq` is filled in here.
    pub(crate) fn append(&mut self, mut entry: JournalEntry) {
        self.last_seq += 1;
        entry.seq = self.last_seq;
        if self.entries.len() == CAPACITY {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }

    /// The entries after sequence number `since`, oldest first.
    pub(crate) fn since(&self, since: u64) -> Vec<JournalEntry> {
        let first = self.entries.partition_point(|entry| entry.seq <= since);
        self.entries.iter().skip(first).cloned().collect()
    }
}
