//! `down`: ends the process that serves a folder's stand-ins, and with it all of them.

use std::{
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{CliError, Place, place};

const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);

pub(super) async fn down(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    match place::holder(&folder)? {
        Some(pid) => {
            end(pid, &folder).await?;
            println!("the stand-ins in {} are ended", folder.display());
        }
        None => println!("no stand-ins run in {}", folder.display()),
    }
    Ok(ExitCode::SUCCESS)
}

/// The lock says that the process lives, and is the one that wrote this pid.
pub(super) async fn end(pid: u32, folder: &Path) -> Result<(), CliError> {
    for signal in [Signal::TERM, Signal::KILL] {
        let deadline = Instant::now() + PATIENCE;
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
        while Instant::now() < deadline {
            if place::holder(folder)? != Some(pid) {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
    }
    Err(CliError::Stuck { pid, folder: folder.to_owned() })
}
