//! Calls the program, as a process or within the test.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Parser as _;
use millwright_kubectl::{Args, Exit, Paint, run};

/// What a process said and how it ended.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The program with these arguments, in a folder, with something on its standard input.
pub(crate) fn tool(arguments: &[&str], folder: &Path, input: &str) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-millwright"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who does not read its input ends before all of it is written.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let ended = child.wait_with_output().unwrap();
    Said {
        code: ended.status.code().unwrap(),
        out: String::from_utf8(ended.stdout).unwrap(),
        err: String::from_utf8(ended.stderr).unwrap(),
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The findings of a text, without the name of the file; no summary.
pub(crate) fn lint(text: &str) -> Vec<String> {
    lint_bytes(text.as_bytes(), &[])
}

/// The same with flags.
pub(crate) fn lint_bytes(mut text: &[u8], flags: &[&str]) -> Vec<String> {
    let arguments = [&["kubectl-millwright", "lint", "-"], flags].concat();
    let args = Args::try_parse_from(arguments).unwrap();
    let mut out = Vec::new();
    let exit = run(&args, &mut text, &mut out, Paint::Plain).unwrap();
    let out = String::from_utf8(out).unwrap();
    let mut lines: Vec<&str> = out.lines().collect();
    let summary = lines.pop().unwrap();
    let has_errors = lines.iter().any(|line| line.contains(": error: "));
    assert_eq!(exit, if has_errors { Exit::Findings } else { Exit::Clean }, "{out}");
    assert_eq!(lines.is_empty(), !summary.contains(" error"), "{summary}");
    lines.into_iter().map(|line| line.strip_prefix("<stdin>:").unwrap_or(line).to_owned()).collect()
}

/// What stands before the message, and the rule: `line:column field [rule]`.
pub(crate) fn brief(text: &str) -> Vec<String> {
    lint(text).iter().map(|line| shorten(line)).collect()
}

fn shorten(line: &str) -> String {
    let (line, rule) = line.rsplit_once(" [").unwrap();
    let mut parts = line.split(": ");
    let (place, severity, subject) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let field = if subject.starts_with("Machine") { parts.next().unwrap() } else { "" };
    let mark = if severity == "warning" { "?" } else { "" };
    format!("{place} {field}{mark} [{rule}").replace("  ", " ")
}

/// A deployment that nothing is wrong with, in lines that tests change.
pub(crate) const DEPLOYMENT: &str = "\
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineDeployment
metadata:
  name: workers
  namespace: pool
spec:
  replicas: 3
  selector:
    matchLabels: {name: workers}
  template:
    metadata:
      labels: {name: workers}
    spec:
      class: {kind: MachineClass, name: workers-v1}
";

/// A class that nothing is wrong with.
pub(crate) const CLASS: &str = "\
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineClass
metadata:
  name: workers-v1
  namespace: pool
provider: local
secretRef:
  name: cloud
  namespace: pool
providerSpec:
  endpoint: http://127.0.0.1:8090
  size: small
  image: ubuntu-24.04
  zone: local-a
  tags:
    kubernetes.io/cluster/demo: \"1\"
    kubernetes.io/role/node: \"1\"
";

#[test]
fn the_objects_that_tests_begin_with_are_clean() {
    assert!(lint(DEPLOYMENT).is_empty(), "{:?}", lint(DEPLOYMENT));
    assert!(lint(CLASS).is_empty(), "{:?}", lint(CLASS));
}
