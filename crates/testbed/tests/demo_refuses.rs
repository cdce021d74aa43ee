//! What the demo says when it can't begin: it names the remedy, and starts nothing.
#![expect(
    clippy::unwrap_used,
    reason = "the lint's own exception for tests leaves out what several tests share"
)]

use std::{
    path::Path,
    process::{Command, Output},
};

fn demo(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command.args(["--exit", "--dir"]).arg(folder);
    command
}

fn told(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_missing_cargo_is_named_with_where_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = demo(folder.path()).env("CARGO", "/none/cargo").output().unwrap();
    let told = told(&output);
    assert!(told.contains("`/none/cargo` was not found") && told.contains("https://rustup.rs"), "{told}");
    assert!(!folder.path().join("etcd").exists());
}

#[test]
fn a_failed_build_ends_the_demo_and_is_repeatable() {
    let folder = tempfile::tempdir().unwrap();
    let told = told(&demo(folder.path()).env("CARGO", "false").output().unwrap());
    assert!(
        told.contains("false build --bins --no-default-features --package millwright-controller"),
        "{told}"
    );
}

#[test]
fn a_folder_that_is_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let told = told(&demo(&file).output().unwrap());
    assert!(told.contains(&file.display().to_string()), "{told}");
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let lock = std::fs::File::create(folder.path().join("testbed.lock")).unwrap();
    std::fs::write(folder.path().join("testbed.lock"), "4242\n").unwrap();
    lock.lock().unwrap();
    let told = told(&demo(folder.path()).output().unwrap());
    assert!(told.contains("process 4242") && told.contains("--dir"), "{told}");
}
