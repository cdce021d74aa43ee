//! `up`: installs what is missing in plain sight, then sends `serve` into the background and waits until it is ready.

use std::{
    fs::File,
    os::unix::process::CommandExt,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use millwright_testbed::StandardError;

use super::{CliError, Place, down, place, status};
use crate::{Installation, StandInError};

const LONGEST_START: Duration = Duration::from_secs(900);
const POLL: Duration = Duration::from_millis(200);

pub(super) async fn up(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    if place::holder(&folder)?.is_some() {
        return status::status(place);
    }
    Installation::complete(&StandardError).await?;
    // It waits for new ones.
    place::forget(&folder);
    let log = place::log(&folder);
    let file = File::create(&log).map_err(StandInError::disk("create", &log))?;
    let copy = file.try_clone().map_err(StandInError::disk("open", &log))?;
    let program = std::env::current_exe().map_err(StandInError::disk("find", "this program"))?;
    let mut command = Command::new(&program);
    command.args(["serve", "--dir"]).arg(&folder).process_group(0);
    command.stdin(Stdio::null()).stdout(copy).stderr(file);
    let mut server = command.spawn().map_err(StandInError::disk("start", program))?;
    let deadline = Instant::now() + LONGEST_START;
    while !place::environment(&folder).is_file() {
        if server.try_wait().is_ok_and(|status| status.is_some()) {
            return Err(CliError::NotUp { log });
        }
        if Instant::now() >= deadline {
            down::end(server.id(), &folder).await?;
            return Err(CliError::NotUp { log });
        }
        tokio::time::sleep(POLL).await;
    }
    status::status(place)
}
