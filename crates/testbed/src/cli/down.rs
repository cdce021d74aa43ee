//! `down`: ends the process that serves a folder's testbed, and with it the control plane.

use std::{
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{CliError, Place, leftovers, ownership::Ownership, record::Record};

/// Four programs may take their time one after the other.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_AFTER_KILL: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);

pub(super) async fn down(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    let holder = Ownership::holder(&folder)?;
    if let Some(pid) = holder {
        end(pid, &folder).await?;
    }
    let record = Record::read(&folder)?;
    let mut ended = 0;
    if let Some(record) = &record {
        ended = leftovers::end(&record.programs, &folder).await;
        Record::remove(&folder)?;
    }
    match (holder, ended) {
        (Some(_), _) => println!("the testbed in {} is ended", folder.display()),
        (None, 0) => println!("no testbed runs in {}", folder.display()),
        (None, count) => println!(
            "the testbed in {} had lost its owner; {count} of its programs are ended",
            folder.display()
        ),
    }
    Ok(ExitCode::SUCCESS)
}

async fn end(pid: u32, folder: &Path) -> Result<(), CliError> {
    for (signal, patience) in [(Signal::TERM, PATIENCE), (Signal::KILL, PATIENCE_AFTER_KILL)] {
        let deadline = Instant::now() + patience;
        // The lock says that the process lives, and is the one that wrote this pid.
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
        while Instant::now() < deadline {
            if Ownership::holder(folder)? != Some(pid) {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
    }
    Err(CliError::Stuck { pid, folder: folder.to_owned() })
}
