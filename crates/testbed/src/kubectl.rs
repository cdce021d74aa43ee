//! Calls kubectl as a user would, and says what it said. It never waits for ever.

use std::{
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::testbed::Testbed;

const LONGEST_CALL: Duration = Duration::from_secs(90);

/// What a call of kubectl came to.
#[derive(Debug)]
pub struct Said {
    /// How it ended.
    pub status: ExitStatus,
    /// Its output.
    pub stdout: String,
    /// Its complaints and warnings.
    pub stderr: String,
}

/// Why kubectl did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum KubectlError {
    /// It could not be run.
    #[error("cannot run `{command}`: {source}")]
    Run {
        /// The call.
        command: String,
        /// The system's reason.
        source: io::Error,
    },
    /// It did not end.
    #[error("`{command}` did not end within {} s", LONGEST_CALL.as_secs())]
    TooSlow {
        /// The call.
        command: String,
    },
    /// It failed.
    #[error("`{command}` failed ({status}):\n{stderr}")]
    Failed {
        /// The call.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it complained of.
        stderr: String,
    },
    /// It printed no JSON.
    #[error("`{command}` printed what is not JSON: {source}")]
    NotJson {
        /// The call.
        command: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// The call as a user types it.
pub fn command_line(arguments: &[&str]) -> String {
    let quoted = arguments.iter().map(|argument| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            (*argument).to_owned()
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    });
    std::iter::once("kubectl".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// Runs kubectl to its end, whatever that is.
pub async fn run(testbed: &Testbed, arguments: &[&str]) -> Result<Said, KubectlError> {
    let mut command = testbed.kubectl();
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    let output = tokio::time::timeout(LONGEST_CALL, command.kill_on_drop(true).output());
    let output = output.await.map_err(|_| KubectlError::TooSlow { command: command_line(arguments) })?;
    let output = output.map_err(|source| KubectlError::Run { command: command_line(arguments), source })?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Said { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) })
}

/// Runs kubectl, which must succeed; yields its output.
pub async fn must(testbed: &Testbed, arguments: &[&str]) -> Result<String, KubectlError> {
    let Said { status, stdout, stderr } = run(testbed, arguments).await?;
    if status.success() {
        return Ok(stdout);
    }
    Err(KubectlError::Failed {
        command: command_line(arguments),
        status,
        stderr: stderr.trim_end().to_owned(),
    })
}

/// Runs `kubectl get … -o json`.
pub async fn json(testbed: &Testbed, arguments: &[&str]) -> Result<Value, KubectlError> {
    let text = must(testbed, arguments).await?;
    serde_json::from_str(&text)
        .map_err(|source| KubectlError::NotJson { command: command_line(arguments), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        for (arguments, line) in [
            (&["get", "mc", "-o", "wide"][..], "kubectl get mc -o wide"),
            (&["apply", "-k", "/a/b-c"], "kubectl apply -k /a/b-c"),
            (&["patch", r#"-p={"a":1}"#], r#"kubectl patch '-p={"a":1}'"#),
            (&["x", "it's", ""], r"kubectl x 'it'\''s' ''"),
        ] {
            assert_eq!(command_line(arguments), line);
        }
    }
}
