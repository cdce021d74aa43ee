//! The controller's own log lines: looked through for credentials, and the last ones kept for whoever asks what happened.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use tracing_subscriber::fmt::MakeWriter;

use super::conductor::Conductor;
use super::invariants::Credentials;

const KEPT: usize = 300;

#[derive(Clone)]
pub(crate) struct Journal {
    lines: Arc<Mutex<VecDeque<String>>>,
    credentials: Credentials,
    conductor: Conductor,
}

impl Journal {
    pub(crate) fn new(credentials: &Credentials, conductor: &Conductor) -> Self {
        Self { lines: Arc::default(), credentials: credentials.clone(), conductor: conductor.clone() }
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
