//! The program: how it starts, what it says when it can't, how it ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Long enough for the slowest machine; nothing waits for it that goes well.
pub(crate) const LONG: Duration = Duration::from_secs(120);

pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millwright-controller"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("KUBERNETES_SERVICE_HOST").env_remove("KUBERNETES_SERVICE_PORT");
    command
}

/// A program that runs, ended with its owner.
pub(crate) struct Program {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStderr>>,
    told: Vec<String>,
    address: SocketAddr,
}

impl Program {
    pub(crate) fn start(kubeconfig: &Path, flags: &[&str]) -> Self {
        let address = free();
        let mut child = command()
            .arg("--address=127.0.0.1")
            .arg(format!("--port={}", address.port()))
            .arg(format!("--control-kubeconfig={}", kubeconfig.display()))
            .arg(format!("--target-kubeconfig={}", kubeconfig.display()))
            .arg("--namespace=machines")
            .args(flags)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines, told: Vec::new(), address }
    }

    /// Waits for a line with all of these words.
    pub(crate) fn tells(&mut self, words: &[&str]) -> String {
        for line in self.lines.by_ref().map(Result::unwrap) {
            self.told.push(line.clone());
            if words.iter().all(|word| line.contains(word)) {
                return line;
            }
        }
        panic!("it ended without {words:?}: {:#?}", self.told)
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end: the exit code, and all it said.
    pub(crate) fn ended(mut self) -> (Option<i32>, Vec<String>) {
        let rest: Vec<String> = self.lines.by_ref().map(Result::unwrap).collect();
        self.told.extend(rest);
        (self.child.wait().unwrap().code(), std::mem::take(&mut self.told))
    }

    /// Status code and body of a path on its port.
    pub(crate) fn get(&self, path: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    /// Asks until the answer is as wanted.
    pub(crate) fn answers(&self, path: &str, wanted: impl Fn(u16, &str) -> bool) {
        let until = Instant::now() + LONG;
        loop {
            let answer = self.get(path);
            if answer.as_ref().is_some_and(|(code, body)| wanted(*code, body)) {
                return;
            }
            assert!(Instant::now() < until, "{path}: {answer:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn output(flags: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command().args(flags).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn help_and_version_are_no_failure() {
    for flag in ["--help", "--version"] {
        let (code, told, _) = output(&[flag]);
        assert_eq!(code, Some(0), "{flag}");
        assert!(!told.is_empty());
    }
}

#[test]
fn flags_that_can_not_be_used_end_it_with_all_of_them() {
    let (code, _, told) = output(&["--port=0", "--machine-drain-timeout=5", "--controllers=node"]);
    assert_eq!(code, Some(1));
    for flag in ["--port=0", "--machine-drain-timeout=5", "--controllers=node"] {
        assert!(told.contains(flag), "{told}");
    }
}

#[test]
fn an_unknown_flag_ends_it() {
    let (code, _, told) = output(&["--machine-drain-timeuot=5m"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("--machine-drain-timeuot") && told.contains("--machine-drain-timeout"), "{told}");
}

#[test]
fn a_taken_port_ends_it_with_the_flag_to_change() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!("--port={}", taken.local_addr().unwrap().port());
    let (code, _, told) = output(&["--address=127.0.0.1", &port]);
    assert_eq!(code, Some(1));
    assert!(told.contains(&port.replace('=', " ")) && told.contains("is taken"), "{told}");
}

#[test]
fn outside_of_a_pod_it_asks_for_a_kubeconfig() {
    let port = format!("--port={}", free().port());
    let (code, _, told) = output(&["--address=127.0.0.1", &port]);
    assert_eq!(code, Some(1));
    // The one flag that is enough: without a control flag, the target's holds for both.
    assert!(told.contains("--target-kubeconfig"), "{told}");
}

#[test]
fn the_flag_that_was_given_is_the_one_that_is_named() {
    let port = format!("--port={}", free().port());
    let (code, _, told) = output(&["--address=127.0.0.1", &port, "--target-kubeconfig=/no/such/file"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("/no/such/file") && told.contains("--target-kubeconfig"), "{told}");
    assert!(!told.contains("--control-kubeconfig"), "{told}");
}

#[test]
fn a_kubeconfig_that_is_not_there_is_named_with_its_flag() {
    let port = format!("--port={}", free().port());
    let (code, _, told) = output(&[
        "--address=127.0.0.1",
        &port,
        "--target-kubeconfig=none",
        "--control-kubeconfig=/no/such/file",
    ]);
    assert_eq!(code, Some(1));
    assert!(told.contains("/no/such/file") && told.contains("--control-kubeconfig"), "{told}");
}
