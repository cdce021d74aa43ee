//! The controller's own log lines: looked through for credentials, and the last ones kept for whoever asks what happened.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use tracing_subscriber::fmt::MakeWriter;

use super::belongings::Thing;
use super::conductor::Conductor;
use super::invariants::Credentials;

const KEPT: usize = 300;
/// What the controller says before it deletes what has no machine.
const VERDICT: &str = "an orphan: no machine owns ";

#[derive(Clone)]
pub(crate) struct Journal {
    lines: Arc<Mutex<VecDeque<String>>>,
    verdicts: Arc<Mutex<Vec<String>>>,
    credentials: Credentials,
    conductor: Conductor,
}

impl Journal {
    pub(crate) fn new(credentials: &Credentials, conductor: &Conductor) -> Self {
        Self {
            lines: Arc::default(),
            verdicts: Arc::default(),
            credentials: credentials.clone(),
            conductor: conductor.clone(),
        }
    }

    /// Whether it, or for a part its VM or another part of it, was called an orphan.
    pub(super) fn has_verdict_on(&self, thing: &Thing) -> bool {
        let machine = format!("machine=\"{}\"", thing.machine);
        let is_on = |line: &String| line.contains(&thing.id) || thing.kind != "VM" && line.contains(&machine);
        self.verdicts.lock().iter().any(is_on)
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().iter().cloned().collect()
    }
}

impl Write for Journal {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(buffer).trim_end().to_owned();
        if let Some(secret) = self.credentials.leaked_in(&line) {
            self.conductor.broken(format!("I12: {secret} stands in the log: {line}"));
        }
        if line.contains(VERDICT) {
            self.verdicts.lock().push(line.clone());
        }
        let mut lines = self.lines.lock();
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(format!("{:>9.3} {line}", self.conductor.elapsed().as_secs_f64()));
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Journal {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
