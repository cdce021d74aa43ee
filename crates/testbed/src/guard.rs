//! Makes sure that nothing outlives its testbed: not after an error, a panic, Ctrl-C or a SIGKILL of this process.
//!
//! All programs of a testbed run in one process group. Its leader is a shell that does nothing but read a pipe whose other end this process
//! holds; when this process ends, in whatever way, the kernel closes the pipe, and the shell kills the group, itself included. The group
//! exists before the first program does, so there is no moment in which a program runs unguarded. A second shell, outside of the group,
//! waits for that end and removes a temporary data folder. Asking programs to end in good order is `running`'s part.

use std::{
    io,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
};

const KILL_GROUP_AT_END: &str = "while read -r _; do :; done; kill -KILL 0";

/// Bounded, because a process that nobody reaps keeps its group in existence.
const REMOVE_FOLDER_AT_END: &str = r#"while read -r _; do :; done
i=0
while kill -0 -- "-$1" 2>/dev/null && [ "$i" -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
rm -rf -- "$2""#;

/// Holds the process group; dropping it ends every program in it. Whoever started programs reaps them before that, else a temporary
/// folder stays for ten seconds more.
pub(crate) struct Guard {
    leader: Child,
    group: i32,
    sweeper: Option<Child>,
}

impl Guard {
    /// A new, empty group.
    pub(crate) fn start() -> io::Result<Self> {
        let leader = watcher(KILL_GROUP_AT_END, &[]).spawn()?;
        let group = i32::try_from(leader.id()).map_err(io::Error::other)?;
        Ok(Self { leader, group, sweeper: None })
    }

    /// From now on `folder` is removed after the last program has ended.
    pub(crate) fn remove_at_end(&mut self, folder: &Path) -> io::Result<()> {
        let group = self.group.to_string();
        self.sweeper = Some(watcher(REMOVE_FOLDER_AT_END, &[Path::new(&group), folder]).spawn()?);
        Ok(())
    }

    /// A command whose process belongs to the group.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.process_group(self.group).stdin(Stdio::null());
        command
    }
}

fn watcher(script: &str, arguments: &[&Path]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script, "testbed-guard"]).args(arguments).process_group(0);
    // Inherited standard streams would keep a pipe open that somebody reads to its end, such as a test runner's.
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Does to one watcher what the kernel does to all when this process ends.
fn release(watcher: &mut Child) {
    drop(watcher.stdin.take());
    // Fails only for a process that was waited for before, which is as good.
    let _ = watcher.wait();
}

impl Drop for Guard {
    fn drop(&mut self) {
        release(&mut self.leader);
        if let Some(sweeper) = &mut self.sweeper {
            release(sweeper);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn sleeper(guard: &Guard) -> Child {
        guard.command(Path::new("sleep")).arg("600").spawn().unwrap()
    }

    fn killed(status: ExitStatus) -> bool {
        status.signal() == Some(9)
    }

    #[test]
    fn programs_die_with_their_guard_even_those_that_ignore_a_polite_request() {
        let guard = Guard::start().unwrap();
        let mut plain = sleeper(&guard);
        let mut stubborn =
            guard.command(Path::new("sh")).args(["-c", "trap '' TERM INT HUP; sleep 600"]).spawn().unwrap();
        assert!(plain.try_wait().unwrap().is_none());
        drop(guard);
        assert!(killed(plain.wait().unwrap()));
        assert!(killed(stubborn.wait().unwrap()));
    }

    #[test]
    fn two_guards_do_not_end_each_others_programs() {
        let (first, second) = (Guard::start().unwrap(), Guard::start().unwrap());
        let (mut one, mut other) = (sleeper(&first), sleeper(&second));
        drop(first);
        assert!(killed(one.wait().unwrap()));
        assert!(other.try_wait().unwrap().is_none());
        drop(second);
        assert!(killed(other.wait().unwrap()));
    }

    #[test]
    fn a_temporary_folder_goes_after_the_programs() {
        let folder = tempfile::tempdir().unwrap().keep();
        std::fs::write(folder.join("file"), "x").unwrap();
        let mut guard = Guard::start().unwrap();
        guard.remove_at_end(&folder).unwrap();
        let mut program = sleeper(&guard);
        assert!(folder.exists());
        program.kill().unwrap();
        program.wait().unwrap();
        drop(guard);
        assert!(!folder.exists());
    }
}
