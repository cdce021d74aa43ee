//! The plugin on the PATH of kubectl.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use millwright_testbed::OurProgram;
use millwright_testbed::kubectl::Said;
use serde_json::Value;

use crate::house::House;

/// More than any call takes on a busy machine.
const LONGEST_CALL: Duration = Duration::from_secs(90);

/// A folder with the plugin in it, and files to read.
pub(crate) struct Plugin<'a> {
    house: &'a House,
    folder: PathBuf,
}

impl<'a> Plugin<'a> {
    /// Puts the plugin into a folder of that name.
    pub(crate) fn new(house: &'a House, name: &str) -> Self {
        let program = OurProgram::KubectlPlugin;
        let folder = house.folder(name);
        std::os::unix::fs::symlink(&house.executables[&program], folder.join(program.name())).unwrap();
        Self { house, folder }
    }

    /// Writes a file to read; its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// `kubectl millwright …` in the root of the repository.
    pub(crate) async fn call(&self, arguments: &[&str]) -> Said {
        let mut command = self.house.testbed.kubectl();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.clone()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command.arg("millwright").args(arguments).current_dir(millwright_testbed::root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = tokio::process::Command::from(command);
        let output = tokio::time::timeout(LONGEST_CALL, command.kill_on_drop(true).output());
        let output = output.await.unwrap().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Said { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// What is found in a file.
    pub(crate) async fn findings(&self, file: &str) -> Value {
        let said = self.call(&["lint", "--output=json", file]).await;
        assert!(matches!(said.status.code(), Some(0 | 1)), "{}", said.stderr);
        serde_json::from_str(&said.stdout).unwrap()
    }
}
