//! A vendor's client as a script, which must come to a good end.

use std::{path::Path, process::Stdio, time::Duration};

use millwright_clouds::Venv;
use tokio::process::Command;

const PATIENCE: Duration = Duration::from_secs(400);

pub(crate) async fn run(name: &str, arguments: &[&str], environment: &[(&str, &str)]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(name);
    let mut command = Command::new(Venv::SecondClients.python().unwrap());
    command.arg(script).args(arguments).envs(environment.iter().copied());
    let run = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let output = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
}
