//! Operations that take time.

use std::time::Instant;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ArmError, account::Account, reply::Reply, resource::Key};

/// What an operation does at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// What it works on is `Succeeded`.
    Settle,
    /// What it works on goes away.
    Remove,
}

/// How an operation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Running,
    Succeeded,
    Failed(ArmError),
    /// Another operation took its place.
    Preempted,
}

/// An operation.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) key: Key,
    pub(super) ending: Ending,
    pub(super) ends: Instant,
    /// What it will fail with.
    pub(super) doom: Option<ArmError>,
    pub(super) progress: Progress,
    pub(super) started: Timestamp,
}

impl Operation {
    /// Its status document. Compute and Network word it alike.
    pub(super) fn document(&self) -> Value {
        let mut document = json!({
            "name": self.id,
            "startTime": self.started.to_string(),
            "status": match self.progress {
                Progress::Running => "InProgress",
                Progress::Succeeded => "Succeeded",
                Progress::Failed(_) => "Failed",
                Progress::Preempted => "Canceled",
            },
        });
        match &self.progress {
            Progress::Failed(error) => document["error"] = error.body()["error"].clone(),
            Progress::Preempted => {
                document["error"] = json!({
                    "code": "OperationPreempted",
                    "message": "The operation has been preempted by a more recent operation.",
                });
            }
            Progress::Running | Progress::Succeeded => {}
        }
        document
    }

    /// The answer of its `Azure-AsyncOperation`.
    pub(super) fn followed(&self, account: &Account) -> Reply {
        let reply = Reply::ok(self.document());
        if self.progress == Progress::Running { reply.with([account.retry_after()]) } else { reply }
    }

    /// The answer of its `Location`.
    pub(super) fn fetched(&self, account: &Account) -> Reply {
        match &self.progress {
            Progress::Running => Reply::empty(StatusCode::ACCEPTED).with([account.retry_after()]),
            Progress::Succeeded if self.ending == Ending::Remove => Reply::empty(StatusCode::NO_CONTENT),
            Progress::Succeeded => match account.resources.get(&self.key) {
                Some(resource) => Reply::ok(resource.shown()),
                None => Reply::empty(StatusCode::NO_CONTENT),
            },
            Progress::Failed(error) => error.clone().into(),
            Progress::Preempted => {
                Reply::json(StatusCode::CONFLICT, json!({ "error": self.document()["error"] }))
            }
        }
    }
}
