//! One started program: is it alive, what did it say last, and how to end it in good order.
//! That it can't outlive this process is `guard`'s part.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

const POLL: Duration = Duration::from_millis(20);
const LAST_LINES: usize = 15;

/// A program that ended although nobody asked it to.
#[derive(Debug, thiserror::Error)]
#[error("{name} ended ({status}); its log {} ends with:\n{last_lines}", log.display())]
pub struct Ended {
    /// Which one.
    pub name: String,
    /// How it ended.
    pub status: ExitStatus,
    /// Its log.
    pub log: PathBuf,
    /// The end of its log.
    pub last_lines: String,
}

/// A child process with its log. Dropping it kills it.
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command`; what it prints goes to `log`, which is emptied first.
    pub(crate) fn spawn(name: impl Into<String>, mut command: Command, log: PathBuf) -> io::Result<Self> {
        let file = std::fs::File::create(&log)?;
        command.stdout(Stdio::from(file.try_clone()?)).stderr(Stdio::from(file));
        Ok(Self { name: name.into(), child: command.spawn()?, log })
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it prints.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// How it ended, if it has.
    pub fn exited(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Its end and the end of its log, if it has ended.
    pub fn ended(&mut self) -> Option<Ended> {
        let status = self.exited()?;
        let last_lines = last_lines(&self.log, LAST_LINES);
        Some(Ended { name: self.name.clone(), status, log: self.log.clone(), last_lines })
    }

    /// Asks it to end, and kills it when it has not after `patience`.
    pub async fn terminate(&mut self, patience: Duration) {
        // A child that was not waited for keeps its pid, so the signal can't reach a stranger.
        if self.exited().is_some() {
            return;
        }
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let deadline = Instant::now() + patience;
        while self.exited().is_none() {
            if Instant::now() >= deadline {
                return self.kill();
            }
            tokio::time::sleep(POLL).await;
        }
    }

    fn kill(&mut self) {
        // Both fail only for a child that has been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The end of a log, for an error message.
pub(crate) fn last_lines(log: &Path, lines: usize) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let all: Vec<_> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str, folder: &Path) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::spawn("etcd", command, folder.join("log")).unwrap()
    }

    async fn until_logged(running: &Process, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !last_lines(running.log(), 10).contains(text) {
            assert!(Instant::now() < deadline, "{text:?} never came");
            tokio::time::sleep(POLL).await;
        }
    }

    #[tokio::test]
    async fn a_program_that_listens_ends_in_its_own_way() {
        let folder = tempfile::tempdir().unwrap();
        let mut running =
            start("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.05; done", folder.path());
        until_logged(&running, "up").await;
        running.terminate(Duration::from_secs(30)).await;
        assert_eq!(running.exited().unwrap().code(), Some(3));
        assert_eq!(last_lines(running.log(), 1), "bye");
    }

    #[tokio::test]
    async fn a_program_that_does_not_listen_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let mut running = start("trap '' TERM; echo up; while :; do sleep 0.05; done", folder.path());
        until_logged(&running, "up").await;
        running.terminate(Duration::from_millis(100)).await;
        assert_eq!(running.exited().unwrap().code(), None);
    }

    #[test]
    fn last_lines_are_the_last_and_a_missing_log_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        std::fs::write(&log, "one\ntwo\nthree\n").unwrap();
        assert_eq!(last_lines(&log, 2), "two\nthree");
        assert_eq!(last_lines(&log, 9), "one\ntwo\nthree");
        assert_eq!(last_lines(&folder.path().join("none"), 2), "");
    }
}
