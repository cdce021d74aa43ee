//! `status`: what is installed, and what runs in a folder.

use std::process::ExitCode;

use super::{CliError, Place, place};
use crate::Installation;

pub(super) fn status(place: &Place) -> Result<ExitCode, CliError> {
    for Installation { what, folder, is_there } in Installation::all()? {
        let state = if is_there { "installed in" } else { "not installed, would be in" };
        println!("{what:<24} {state} {}", folder.display());
    }
    let folder = place.folder()?;
    match place::holder(&folder)? {
        Some(pid) if place::environment(&folder).is_file() => {
            println!("stand-ins run: process {pid}, log {}", place::log(&folder).display());
            println!("to use them: eval \"$(cargo testbed clouds env)\"");
            Ok(ExitCode::SUCCESS)
        }
        Some(pid) => {
            println!("stand-ins are starting or ending (process {pid})");
            Ok(ExitCode::FAILURE)
        }
        None => {
            println!("no stand-ins run in {}", folder.display());
            Ok(ExitCode::FAILURE)
        }
    }
}
