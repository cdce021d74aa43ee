//! The program `simcloud`: what it needs, what it publishes, what it says when it cannot run.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn simcloud(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simcloud"));
    command.current_dir(folder).env_remove("SIMCLOUD_TOKEN").env_remove("RUST_LOG");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Ends the program when the test does.
struct Kept(Option<Child>);

impl Kept {
    fn end(mut self) -> Output {
        let child = self.0.take().unwrap();
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        child.wait_with_output().unwrap()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn refused(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn it_publishes_its_address_and_ends_when_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "hush-hush-hush\n").unwrap();
    let mut command = simcloud(folder.path());
    command.args(["--token-file", "token", "--port-file", "port", "--state", "state.jsonl"]);
    let kept = Kept(Some(command.spawn().unwrap()));
    let patience = Instant::now() + Duration::from_secs(60);
    let port = folder.path().join("port");
    let address = loop {
        match std::fs::read_to_string(&port) {
            Ok(address) => break address,
            Err(_) => assert!(Instant::now() < patience, "no port file"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    std::net::TcpStream::connect(address.trim()).unwrap();

    // A second one cannot have the same port, and says so.
    let mut second = simcloud(folder.path());
    second.args(["--token-file", "token", "--listen", address.trim()]);
    let error = refused(second);
    assert!(
        error.contains(&format!("cannot listen on {}", address.trim())) && error.contains("--listen"),
        "{error}"
    );

    let output = kept.end();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("simcloud listens on http://{address}"));
    assert!(!String::from_utf8(output.stderr).unwrap().contains("hush"));
}

#[test]
fn what_it_needs_and_does_not_get_is_named_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("state.jsonl"), "nonsense\n").unwrap();
    std::fs::write(folder.path().join("kubeconfig"), "clusters: []\n").unwrap();
    std::fs::write(folder.path().join("config.yaml"), "zonen: []\n").unwrap();
    let cases: [(&[&str], &[&str]); 6] = [
        (&[], &["no API token", "SIMCLOUD_TOKEN"]),
        (&["--token-file", "nowhere"], &["token file nowhere", "--token-file"]),
        (&["--state", "state.jsonl"], &["state.jsonl, line 1"]),
        (&["--state", "nowhere/state.jsonl"], &["nowhere/state.jsonl", "--state"]),
        (&["--kubeconfig", "kubeconfig"], &["kubeconfig kubeconfig", "current-context"]),
        (&["--config", "config.yaml"], &["config.yaml", "zonen"]),
    ];
    for (arguments, expected) in cases {
        let mut command = simcloud(folder.path());
        command.args(arguments);
        if !arguments.is_empty() && arguments[0] != "--token-file" {
            command.env("SIMCLOUD_TOKEN", "hush-hush-hush");
        }
        let error = refused(command);
        for part in expected {
            assert!(error.contains(part), "{arguments:?} gives {error}");
        }
    }
}
