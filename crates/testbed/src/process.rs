//! One started program: is it alive, what did it say last, how to stop it for a while, and how to end it in good order.
//! That it can't outlive this process is `guard`'s part.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::guard::Guard;

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
    executable: PathBuf,
    arguments: Vec<OsString>,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command`; what it prints goes to `log`, which is emptied first.
    pub(crate) fn spawn(name: impl Into<String>, command: Command, log: PathBuf) -> io::Result<Self> {
        let file = File::create(&log)?;
        Self::spawn_into(name.into(), command, log, file)
    }

    /// Starts the same program once more, as it was called before; what it prints goes on in the same log.
    pub(crate) fn spawn_again(&self, guard: &Guard) -> io::Result<Self> {
        let mut command = guard.command(&self.executable);
        command.args(&self.arguments);
        let file = File::options().append(true).open(&self.log)?;
        Self::spawn_into(self.name.clone(), command, self.log.clone(), file)
    }

    fn spawn_into(name: String, mut command: Command, log: PathBuf, file: File) -> io::Result<Self> {
        command.stdout(Stdio::from(file.try_clone()?)).stderr(Stdio::from(file));
        let executable = command.get_program().into();
        let arguments = command.get_args().map(OsString::from).collect();
        Ok(Self { name, executable, arguments, child: command.spawn()?, log })
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
        self.signal(Signal::TERM);
        let deadline = Instant::now() + patience;
        while self.exited().is_none() {
            if Instant::now() >= deadline {
                return self.kill();
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Stops it where it is, as if its machine slept: its connections stay, and nobody answers.
    pub fn pause(&mut self) {
        if self.exited().is_none() {
            self.signal(Signal::STOP);
        }
    }

    /// Lets it go on after [`Process::pause`].
    pub fn resume(&mut self) {
        if self.exited().is_none() {
            self.signal(Signal::CONT);
        }
    }

    /// Only for a child that was not waited for: the pid of another may be a stranger's by now.
    fn signal(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(&mut self) {
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

    #[tokio::test]
    async fn a_paused_program_does_nothing_until_it_is_resumed_and_can_be_killed_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let script = "i=0; while :; do i=$((i + 1)); echo line $i; sleep 0.02; done";
        let mut running = start(script, folder.path());
        until_logged(&running, "line").await;
        running.pause();
        // The signal takes effect before the next line at the latest.
        tokio::time::sleep(Duration::from_millis(200)).await;
        let before = last_lines(running.log(), 1);
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(last_lines(running.log(), 1), before);
        running.resume();
        let number: u32 = before.trim_start_matches("line ").parse().unwrap();
        until_logged(&running, &format!("line {}", number + 2)).await;
        running.pause();
        running.kill();
        assert_eq!(running.exited().unwrap().code(), None);
    }

    #[tokio::test]
    async fn a_program_that_is_started_again_has_its_arguments_and_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let guard = Guard::start().unwrap();
        let mut first = start("echo again and again", folder.path());
        until_logged(&first, "again").await;
        first.kill();
        let mut second = first.spawn_again(&guard).unwrap();
        until_logged(&second, "again and again\nagain and again").await;
        second.kill();
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
