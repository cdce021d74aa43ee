//! `serve`: starts a control plane and stays with it. `up` runs this in the background.

use std::process::ExitCode;

use super::{CliError, Place, ownership::Ownership, record::Record, status};
use crate::{Data, Options, Testbed, end_request::EndRequest};

pub(super) async fn serve(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    std::fs::create_dir_all(&folder).map_err(CliError::file("create", &folder))?;
    let _ownership = Ownership::take(&folder)?;
    Record::remove(&folder)?;
    let mut request = EndRequest::listen().map_err(CliError::Signals)?;

    let options = Options { data: Data::Folder(folder.clone()), ..Options::default() };
    // A start that is dropped half-way takes with it what it has started.
    let testbed = tokio::select! {
        started = Testbed::start(options) => started?,
        () = request.received() => return Err(CliError::Interrupted),
    };
    let record = Record::of(&testbed, &[]);
    record.write(&folder)?;
    print!("{}", status::describe(&record, &folder));

    let outcome = tokio::select! {
        ended = testbed.ended() => Err(CliError::from(ended)),
        () = request.received() => Ok(ExitCode::SUCCESS),
    };
    testbed.stop().await;
    Record::remove(&folder)?;
    outcome
}
