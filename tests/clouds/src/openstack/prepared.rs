//! OpenStack's empty databases and keys: made once, kept in the cache, and copied for each start.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use millwright_testbed::Progress;

use crate::{
    StandInError,
    installation::{Lock, Venv, cached, run_step, sources},
};

const LONGEST_STEP: Duration = Duration::from_secs(900);

/// Everything that the databases depend on.
const SOURCES: [&str; 6] = [
    include_str!("../../openstack/lab.py"),
    include_str!("../../openstack/conf/keystone.conf"),
    include_str!("../../openstack/conf/placement.conf"),
    include_str!("../../openstack/conf/glance-api.conf"),
    include_str!("../../openstack/conf/neutron.conf"),
    include_str!("../../openstack/conf/nova.conf"),
];

/// Where they are or would be.
pub(crate) fn prepared_folder() -> Result<PathBuf, StandInError> {
    let requirements = [Venv::OpenStack.requirements()];
    let inputs: Vec<&[u8]> = requirements.iter().chain(&SOURCES).map(|text| text.as_bytes()).collect();
    cached("openstack-databases", &inputs)
}

/// Makes them unless they are there.
pub(crate) async fn prepared(progress: &dyn Progress) -> Result<PathBuf, StandInError> {
    let folder = prepared_folder()?;
    if folder.is_dir() {
        return Ok(folder);
    }
    let _lock = Lock::take(progress).await?;
    if folder.is_dir() {
        return Ok(folder);
    }
    progress.say(&format!("making OpenStack's databases, once (kept in {})", folder.display()));
    let start = Instant::now();
    let partial = folder.with_extension("partial");
    match std::fs::remove_dir_all(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(StandInError::disk("remove", partial)(error));
        }
        Ok(()) | Err(_) => {}
    }
    std::fs::create_dir_all(&partial).map_err(StandInError::disk("create", &partial))?;
    let log = partial.join("prepare.log");
    run_step("making OpenStack's databases", lab(&partial, &["prepare"])?, &log, LONGEST_STEP).await?;
    std::fs::rename(&partial, &folder).map_err(StandInError::disk("rename", partial))?;
    progress.say(&format!("OpenStack's databases are made after {} s", start.elapsed().as_secs()));
    Ok(folder)
}

fn lab(folder: &Path, arguments: &[&str]) -> Result<Command, StandInError> {
    let mut command = Command::new(Venv::OpenStack.python()?);
    command.arg(sources().join("openstack/lab.py")).args(arguments).current_dir(folder);
    command.env("PYTHONPATH", sources().join("openstack/plugins"));
    Ok(command)
}

/// Copies a folder with everything in it, but logs.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    std::fs::set_permissions(to, std::fs::metadata(from)?.permissions())?;
    for entry in std::fs::read_dir(from)? {
        let (from, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if from.is_dir() {
            copy(&from, &to.join(name))?;
        } else if from.extension().is_none_or(|extension| extension != "log") {
            std::fs::copy(from, to.join(name))?;
        }
    }
    Ok(())
}
