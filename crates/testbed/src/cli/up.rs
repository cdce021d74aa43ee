//! `up`: builds what is missing in plain sight, then sends `serve` into the background and waits until it is ready.

use std::{
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{CliError, Place, ownership::Ownership, place, record::Record, status};
use crate::{Binaries, Error, StandardError, process::last_lines};

const LONGEST_START: Duration = Duration::from_secs(300);
const LONGEST_END: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(100);

pub(super) async fn up(place: &Place) -> Result<ExitCode, CliError> {
    let folder = place.folder()?;
    if let Some(pid) = Ownership::holder(&folder)? {
        let record = Record::read(&folder)?.filter(|record| record.pid == pid);
        let record = record.ok_or(CliError::Occupied { pid, folder: folder.clone() })?;
        print!("{}", status::describe(&record, &folder));
        return Ok(ExitCode::SUCCESS);
    }
    // In the background its progress would go unseen.
    Binaries::locate(&StandardError).await.map_err(Error::from)?;
    std::fs::create_dir_all(&folder).map_err(CliError::file("create", &folder))?;
    let mut server = spawn(&folder)?;
    let record = tokio::select! {
        ready = ready(&mut server, &folder) => ready,
        _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted),
    };
    let record = match record {
        Ok(record) => record,
        Err(error) => {
            end(&mut server).await;
            return Err(error);
        }
    };
    print!("{}", status::describe(&record, &folder));
    Ok(ExitCode::SUCCESS)
}

fn spawn(folder: &Path) -> Result<Child, CliError> {
    let log = place::log(folder);
    let file = std::fs::File::create(&log).map_err(CliError::file("create", &log))?;
    let copy = file.try_clone().map_err(CliError::file("open", &log))?;
    let program = std::env::current_exe().map_err(CliError::file("find", "the testbed program"))?;
    let mut command = Command::new(&program);
    command.args(["serve", "--dir"]).arg(folder).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::from(copy)).stderr(Stdio::from(file));
    // In a group of its own, a later Ctrl-C on this terminal does not reach it.
    command.process_group(0);
    command.spawn().map_err(CliError::file("start", &program))
}

async fn ready(server: &mut Child, folder: &Path) -> Result<Record, CliError> {
    let log = place::log(folder);
    let deadline = Instant::now() + LONGEST_START;
    loop {
        if let Some(record) = Record::read(folder)?.filter(|record| record.pid == server.id()) {
            return Ok(record);
        }
        if server.try_wait().is_ok_and(|status| status.is_some()) {
            let last_lines = last_lines(&log, 20);
            return Err(CliError::NotUp { log, last_lines });
        }
        if Instant::now() >= deadline {
            return Err(CliError::TooSlow { seconds: LONGEST_START.as_secs(), log });
        }
        tokio::time::sleep(POLL).await;
    }
}

async fn end(server: &mut Child) {
    let deadline = Instant::now() + LONGEST_END;
    // A child that was not waited for keeps its pid, so the signal can't reach a stranger.
    let mut asked = false;
    while server.try_wait().is_ok_and(|status| status.is_none()) {
        if Instant::now() >= deadline {
            // Its guard ends what it has started.
            let _ = server.kill();
            let _ = server.wait();
            return;
        }
        if !asked && let Some(pid) = i32::try_from(server.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
            asked = true;
        }
        tokio::time::sleep(POLL).await;
    }
}
