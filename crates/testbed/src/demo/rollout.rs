//! Watches all machines with kubectl while a rollout goes on.

use std::{
    io::BufReader,
    process::{Child, Stdio},
    sync::Arc,
    thread::JoinHandle,
};

use parking_lot::Mutex;
use serde_json::Value;

use super::{
    error::DemoError,
    tally::{Extremes, Tally},
};
use crate::{
    kubectl::{KubectlError, command_line},
    testbed::Testbed,
};

const WATCH: [&str; 6] = ["get", "machines", "--watch", "--output-watch-events", "-o", "json"];

/// A watch that runs; dropping it ends it.
pub(super) struct Rollout {
    kubectl: Child,
    reader: Option<JoinHandle<()>>,
    tally: Arc<Mutex<Tally>>,
}

impl Rollout {
    /// Begins to watch.
    pub(super) fn watch(testbed: &Testbed) -> Result<Self, DemoError> {
        let run_error = |source| KubectlError::Run { command: command_line(&WATCH), source };
        let mut command = testbed.kubectl();
        command.args(WATCH).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut kubectl = command.spawn().map_err(run_error)?;
        let tally = Arc::new(Mutex::new(Tally::default()));
        let reader = kubectl.stdout.take().map(|events| {
            let tally = Arc::clone(&tally);
            std::thread::spawn(move || {
                let events = serde_json::Deserializer::from_reader(BufReader::new(events));
                // An event that is cut off is the watch's end.
                for event in events.into_iter::<Value>().map_while(Result::ok) {
                    tally.lock().count(&event);
                }
            })
        });
        Ok(Self { kubectl, reader, tally })
    }

    /// From now on extremes are kept.
    pub(super) fn judge(&self) {
        self.tally.lock().judge();
    }

    /// How it is now.
    pub(super) fn now(&self) -> Extremes {
        self.tally.lock().now()
    }

    /// How far it went since judging began.
    pub(super) fn extremes(&self) -> Extremes {
        self.tally.lock().extremes()
    }

    /// Whether it still watches.
    pub(super) fn is_watching(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| !reader.is_finished())
    }
}

impl Drop for Rollout {
    fn drop(&mut self) {
        // Both fail only for a child that was waited for.
        let _ = self.kubectl.kill();
        let _ = self.kubectl.wait();
        if let Some(reader) = self.reader.take() {
            // It can't panic, and there is nobody to tell.
            let _ = reader.join();
        }
    }
}
