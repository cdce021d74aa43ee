//! Events on objects, for people: never waited for, bounded in number, and dropped rather than in the way.
//!
//! A recorder puts notes into a queue; one task writes them. The same note about the same object within
//! ten minutes raises the count of one Event, and each object has a budget, as in client-go. One
//! recorder serves one cluster: events about nodes go where the nodes are.

mod correlator;
mod metrics;
mod note;
mod recorder;
mod writer;

pub use metrics::EventMetrics;
pub use note::{EventKind, EventNote};
pub use recorder::EventRecorder;
pub use writer::EventWriter;

use jiff::Timestamp;
use kube::Client;
use tokio::sync::mpsc;

/// Notes that wait to be written. More than that within the time of a few requests is a flood.
const WAITING: usize = 1024;

/// A recorder, and the task that writes for it: whoever calls this must run the latter.
/// `now` gives the times that stand in the events.
pub fn events<N: Fn() -> Timestamp + Send>(
    client: Client,
    metrics: &EventMetrics,
    now: N,
) -> (EventRecorder, EventWriter<N>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (EventRecorder::new(sender, metrics.clone()), EventWriter::new(client, receiver, metrics.clone(), now))
}

#[cfg(test)]
mod tests;
