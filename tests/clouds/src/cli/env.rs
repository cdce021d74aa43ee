//! `env`: how clients find what runs.

use std::process::ExitCode;

use super::{CliError, Place, place};
use crate::StandInError;

pub(super) fn env(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    let path = place::environment(&folder);
    if place::holder(&folder)?.is_none() || !path.is_file() {
        return Err(CliError::NotRunning { folder });
    }
    print!("{}", std::fs::read_to_string(&path).map_err(StandInError::disk("read", path))?);
    Ok(ExitCode::SUCCESS)
}
