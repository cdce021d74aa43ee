//! `serve`: starts the stand-ins and stays with them. `up` runs this in the background.

use std::{path::Path, process::ExitCode};

use millwright_testbed::StandardError;
use tokio::signal::unix::{SignalKind, signal};

use super::{CliError, Place, place};
use crate::{Moto, MotoOptions, OpenStack, StandInError};

pub(super) async fn serve(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    let _ownership = place::take(&folder)?;
    let mut term = signal(SignalKind::terminate()).map_err(CliError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(CliError::Signals)?;
    let served = async {
        let moto = Moto::start(MotoOptions::default()).await?;
        let openstack = OpenStack::start(&StandardError).await?;
        tell(&folder, &moto, &openstack).await?;
        println!("stand-ins are up");
        std::future::pending::<()>().await;
        // Held until then.
        drop((moto, openstack));
        Ok::<(), CliError>(())
    };
    let outcome = tokio::select! {
        served = served => served,
        _ = term.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    };
    place::forget(&folder);
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn tell(folder: &Path, moto: &Moto, openstack: &OpenStack) -> Result<(), CliError> {
    let project = openstack.project("hand").await?;
    let variables = [
        ("AWS_ENDPOINT_URL", moto.url()),
        ("AWS_ACCESS_KEY_ID", "anybody"),
        ("AWS_SECRET_ACCESS_KEY", "anything"),
        ("AWS_REGION", "eu-west-1"),
        ("OS_AUTH_URL", openstack.auth_url()),
        ("OS_USERNAME", &project.user_name),
        ("OS_PASSWORD", &project.password),
        ("OS_PROJECT_NAME", &project.name),
        ("OS_USER_DOMAIN_NAME", "Default"),
        ("OS_PROJECT_DOMAIN_NAME", "Default"),
        ("OS_REGION_NAME", "RegionOne"),
        ("OS_IDENTITY_API_VERSION", "3"),
    ];
    let text: String = variables.iter().map(|(name, value)| format!("export {name}='{value}'\n")).collect();
    // Written whole, because `up` waits for the file.
    let partial = folder.join("clouds.env.partial");
    std::fs::write(&partial, text).map_err(StandInError::disk("write", &partial))?;
    let path = place::environment(folder);
    std::fs::rename(&partial, &path).map_err(StandInError::disk("write", path))?;
    Ok(())
}
