//! One command of an installation: bounded, with its log, and ended with this process.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::StandInError;

const LAST_LINES: usize = 20;

/// Runs `command`, whose output goes to the end of `log`.
pub(crate) async fn run_step(
    step: &str,
    mut command: Command,
    log: &Path,
    patience: Duration,
) -> Result<(), StandInError> {
    let failed = |how: String| StandInError::Step {
        step: step.to_owned(),
        how,
        log: log.to_owned(),
        last_lines: last_lines(log),
    };
    let open = || File::options().create(true).append(true).open(log);
    let (out, err) = (open(), open());
    command.stdin(Stdio::null());
    command.stdout(out.map_err(StandInError::disk("open", log))?);
    command.stderr(err.map_err(StandInError::disk("open", log))?);
    let mut child = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    match tokio::time::timeout(patience, child.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(failed(status.to_string())),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed(format!("no end after {} s", patience.as_secs()))),
    }
}

fn last_lines(log: &Path) -> String {
    let text = std::fs::read(PathBuf::from(log)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    #[tokio::test]
    async fn a_failed_step_shows_the_end_of_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        run_step("one", script("echo first"), &log, Duration::from_secs(60)).await.unwrap();
        let error =
            run_step("two", script("echo no such package; exit 3"), &log, Duration::from_secs(60)).await;
        let message = error.unwrap_err().to_string();
        assert!(message.starts_with("two failed (exit status: 3)"), "{message}");
        assert!(message.ends_with("first\nno such package"), "{message}");
    }

    #[tokio::test]
    async fn a_step_without_an_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let error = run_step("slow", script("exec sleep 600"), &log, Duration::from_millis(100)).await;
        assert!(error.unwrap_err().to_string().contains("no end after 0 s"));
    }
}
