//! Ends programs that a record names although nobody serves them any more, as when somebody killed their guard too.
//! A pid in a file may be another program's by now, so its command line is asked first.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::record::RecordedProgram;

/// The guard ends what it guards within moments; only what it left is ours to end.
const FOR_THE_GUARD: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(50);

/// Ends what is still there of `programs`; says how many that were.
pub(super) async fn end(programs: &[RecordedProgram], folder: &Path) -> usize {
    let deadline = Instant::now() + FOR_THE_GUARD;
    let mut left = remaining(programs, folder);
    while !left.is_empty() && Instant::now() < deadline {
        tokio::time::sleep(POLL).await;
        left = remaining(programs, folder);
    }
    for program in &left {
        if let Some(pid) = i32::try_from(program.pid).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    left.len()
}

fn remaining<'a>(programs: &'a [RecordedProgram], folder: &Path) -> Vec<&'a RecordedProgram> {
    programs.iter().filter(|program| is_ours(program, folder)).collect()
}

/// Whether the pid belongs to that program, called for that folder. Where there is no /proc, nothing counts as ours.
fn is_ours(program: &RecordedProgram, folder: &Path) -> bool {
    let command_line = std::fs::read(format!("/proc/{}/cmdline", program.pid)).unwrap_or_default();
    let command_line = String::from_utf8_lossy(&command_line);
    let mut arguments = command_line.split('\0');
    let called = arguments.next().unwrap_or_default();
    let folder = folder.display().to_string();
    Path::new(called).file_name().is_some_and(|name| name == program.name.as_str())
        && arguments.any(|argument| argument.contains(&folder))
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::process::CommandExt,
        process::{Command, Stdio},
    };

    use super::*;

    fn recorded(name: &str, pid: u32) -> RecordedProgram {
        RecordedProgram { name: name.to_owned(), pid, log: "/none".into() }
    }

    #[tokio::test]
    async fn a_program_called_for_the_folder_is_ended_and_no_other() {
        // A shell under the name of a program, which waits by itself: a `sleep` of its own would outlive it.
        let spawn = |argument: &str| {
            let mut command = Command::new("sh");
            command
                .arg0("/x/etcd")
                .args(["-c", "read -r _; :", argument])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let mut ours = spawn("--data-dir=/t/bed/etcd");
        let mut theirs = spawn("--data-dir=/t/other/etcd");
        // A program that was started a moment ago may not have its command line yet.
        for program in [&ours, &theirs] {
            while std::fs::read(format!("/proc/{}/cmdline", program.id())).unwrap().is_empty() {
                tokio::time::sleep(POLL).await;
            }
        }
        let programs = [
            recorded("etcd", ours.id()),
            recorded("etcd", theirs.id()),
            recorded("kube-apiserver", ours.id()),
            recorded("etcd", u32::MAX),
        ];
        assert_eq!(end(&programs, Path::new("/t/bed")).await, 1);
        assert!(!ours.wait().unwrap().success());
        assert!(theirs.try_wait().unwrap().is_none());
        theirs.kill().unwrap();
        theirs.wait().unwrap();
    }
}
