//! The net is held against holes by a script that takes guards away; this holds the script against the code it looks for.

use std::process::Command;

use crate::workspace::root;

#[test]
fn each_guard_is_still_where_the_table_of_guards_looks_for_it() {
    let script = root().join("tests/guards/run.sh");
    let checked = Command::new("bash").arg(script).arg("--check").output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
