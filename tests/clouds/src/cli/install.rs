//! `install`: everything that tests with the feature `installed` need.

use std::process::ExitCode;

use millwright_testbed::StandardError;

use super::CliError;
use crate::Installation;

pub(super) async fn install() -> Result<ExitCode, CliError> {
    Installation::complete(&StandardError).await?;
    for installation in Installation::all()? {
        println!("{:<24} {}", installation.what, installation.folder.display());
    }
    Ok(ExitCode::SUCCESS)
}
