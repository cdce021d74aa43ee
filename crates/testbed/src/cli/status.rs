//! `status`: what runs in a folder, and how to reach it.

use std::{fmt::Write, path::Path, process::ExitCode};

use super::{CliError, Place, ownership::Ownership, record::Record};

pub(super) fn status(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    let Some(pid) = Ownership::holder(&folder)? else {
        println!("no testbed runs in {}", folder.display());
        return Ok(ExitCode::FAILURE);
    };
    match Record::read(&folder)?.filter(|record| record.pid == pid) {
        Some(record) => {
            print!("{}", describe(&record, &folder));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            println!("the testbed in {} is starting or ending (process {pid})", folder.display());
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The description, with a line end.
pub(super) fn describe(record: &Record, folder: &Path) -> String {
    let Record { pid, server, kubectl, kubeconfigs, programs } = record;
    let mut text = format!("a testbed is up: process {pid}, data in {}\n", folder.display());
    let mut line = |line: String| {
        // Writing to a String can't fail.
        let _ = writeln!(text, "{line}");
    };
    line(format!("API server  {server}"));
    for program in programs {
        line(format!("  {:<24} process {:<8} log {}", program.name, program.pid, program.log.display()));
    }
    line("identities".to_owned());
    for (name, path) in kubeconfigs {
        line(format!("  {name:<24} {}", path.display()));
    }
    if let Some((_, admin)) = kubeconfigs.first() {
        line("to use it:".to_owned());
        line(format!("  export KUBECONFIG={}", admin.display()));
        line(format!("  {} get nodes", kubectl.display()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::record::RecordedProgram;

    #[test]
    fn the_description_says_how_to_reach_it() {
        let record = Record {
            pid: 7,
            server: "https://127.0.0.1:4001".to_owned(),
            kubectl: "/bin/kubectl".into(),
            kubeconfigs: vec![("admin".to_owned(), "/t/kubeconfig/admin.yaml".into())],
            programs: vec![RecordedProgram {
                name: "etcd".to_owned(),
                pid: 8,
                log: "/t/logs/etcd.log".into(),
            }],
        };
        let text = describe(&record, Path::new("/t"));
        for part in [
            "process 7",
            "https://127.0.0.1:4001",
            "/t/logs/etcd.log",
            "export KUBECONFIG=/t/kubeconfig/admin.yaml",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(text.ends_with('\n'));
    }
}
