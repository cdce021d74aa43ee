//! Finds a Python that can make virtual environments.

use std::{path::PathBuf, process::Stdio, time::Duration};

use tokio::{process::Command, time::timeout};

use crate::StandInError;

const NAMES: [&str; 5] = ["python3", "python3.11", "python3.12", "python3.13", "python3.14"];
const PATIENCE: Duration = Duration::from_secs(60);
const IS_GOOD: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";

/// The one that the user names, else the first on PATH that will do.
pub(super) async fn find() -> Result<PathBuf, StandInError> {
    let named = std::env::var_os("MILLWRIGHT_PYTHON").filter(|named| !named.is_empty());
    let candidates: Vec<PathBuf> = match named {
        Some(named) => vec![named.into()],
        None => NAMES.map(PathBuf::from).to_vec(),
    };
    for candidate in &candidates {
        if is_good(candidate).await {
            return Ok(candidate.clone());
        }
    }
    let tried = candidates.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    Err(StandInError::NoPython { tried })
}

async fn is_good(python: &PathBuf) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", IS_GOOD]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.kill_on_drop(true);
    matches!(timeout(PATIENCE, command.status()).await, Ok(Ok(status)) if status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_no_python_is_not_taken_for_one() {
        for other in ["/none/python3", "false"] {
            assert!(!is_good(&PathBuf::from(other)).await, "{other}");
        }
    }

    #[test]
    fn the_message_says_what_to_install() {
        let message = StandInError::NoPython { tried: "python3".to_owned() }.to_string();
        for part in ["3.11", "venv", "python3-venv", "MILLWRIGHT_PYTHON"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
