//! The order of events: prepare, create, roll, idle, delete, report.

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use super::{
    arguments::BenchArguments,
    error::BenchError,
    meter::Meter,
    observer::Resource,
    phase::Phase,
    report::Report,
    setting::Setting,
    until::{Goal, reached},
    workload,
};
use crate::{
    checkout,
    cli::{CliError, Ownership, Record},
    end_request::EndRequest,
    screen::Screen,
};

/// Measures, prints the table and writes the file.
pub(crate) async fn run(arguments: &BenchArguments) -> Result<ExitCode, BenchError> {
    let screen = Arc::new(Screen::stdout());
    let mut request = EndRequest::listen().map_err(CliError::Signals)?;
    let folder = folder(arguments.dir.clone())?;
    let _ownership = Ownership::take(&folder)?;
    Record::remove(&folder)?;
    // A start that is dropped half-way takes with it what it has started.
    let setting = tokio::select! {
        prepared = Box::pin(Setting::prepare(&folder, arguments, &screen)) => prepared?,
        () = request.received() => return Err(BenchError::Interrupted),
    };
    setting.record().write(&folder)?;
    let mut outcome = tokio::select! {
        measured = Box::pin(measure(&setting, arguments)) => measured,
        () = request.received() => Err(BenchError::Interrupted),
    };
    if outcome.is_ok() && arguments.keep {
        screen.title("Everything stays up until Ctrl-C; `cargo testbed status` says how to reach it:");
        screen.text(&format!("cargo testbed status --dir {}", folder.display()));
        outcome = tokio::select! {
            ended = setting.testbed.ended() => Err(ended.into()),
            () = request.received() => Ok(()),
        };
    }
    setting.end().await;
    Record::remove(&folder)?;
    outcome.map(|()| ExitCode::SUCCESS)
}

fn folder(dir: Option<PathBuf>) -> Result<PathBuf, BenchError> {
    let folder = dir.unwrap_or_else(|| checkout::target().join("bench"));
    let folder = std::path::absolute(&folder).map_err(BenchError::file("find", folder))?;
    std::fs::create_dir_all(&folder).map_err(BenchError::file("create", &folder))?;
    Ok(folder)
}

async fn measure(setting: &Setting, arguments: &BenchArguments) -> Result<(), BenchError> {
    let BenchArguments { machines, json, surge, idle_seconds, .. } = arguments;
    let all = Goal::Machines(*machines);
    let mut report = Report { machines: *machines, phases: Vec::new() };
    setting.screen.title(&format!("{machines} machines in one MachineDeployment, surge {surge}"));

    let mut meter = Meter::start(setting).await?;
    let deployment = workload::deployment(*machines, surge);
    setting.observer.create(Resource::Deployments, &deployment).await?;
    reached(setting, &mut meter, "create", all, patience(*machines)).await?;
    report.phases.push(("create", finish(setting, meter, "create").await?));
    running(setting, *machines).await?;

    let mut meter = Meter::start(setting).await?;
    setting.observer.change(&workload::roll()).await?;
    reached(setting, &mut meter, "roll", all, patience(*machines)).await?;
    report.phases.push(("roll", finish(setting, meter, "roll").await?));

    let meter = Meter::start(setting).await?;
    report.phases.push(("idle", idle(setting, meter, Duration::from_secs(*idle_seconds)).await?));

    let mut meter = Meter::start(setting).await?;
    setting.observer.change(&workload::scale_to_zero()).await?;
    reached(setting, &mut meter, "delete", Goal::Nothing, patience(*machines)).await?;
    report.phases.push(("delete", finish(setting, meter, "delete").await?));

    setting.screen.title("Result");
    setting.screen.text(&report.table());
    if let Some(path) = json {
        report.write(path)?;
        setting.screen.text(&format!("written to {}", path.display()));
    }
    Ok(())
}

/// A phase that hangs must end some day; one that is slow is only slow.
fn patience(machines: u32) -> Duration {
    Duration::from_secs(900 + 4 * u64::from(machines))
}

async fn finish(setting: &Setting, meter: Meter, name: &str) -> Result<Phase, BenchError> {
    let took = meter.elapsed();
    let phase = meter.stop(setting).await?;
    setting.screen.seen(name, took);
    Ok(phase)
}

async fn idle(setting: &Setting, mut meter: Meter, time: Duration) -> Result<Phase, BenchError> {
    while let Some(left) = time.checked_sub(meter.elapsed()).filter(|left| !left.is_zero()) {
        if let Some(ended) = setting.first_ended() {
            return Err(ended.into());
        }
        setting.screen.state("idle");
        meter.sample(setting)?;
        tokio::time::sleep(left.min(Duration::from_millis(500))).await;
    }
    finish(setting, meter, "idle").await
}

/// The deployment's word is checked against the machines themselves.
async fn running(setting: &Setting, machines: u32) -> Result<(), BenchError> {
    let all = setting.observer.list(Resource::Machines).await?;
    let running =
        all.iter().filter(|machine| machine["status"]["currentStatus"]["phase"] == "Running").count();
    if running as u64 == u64::from(machines) {
        return Ok(());
    }
    Err(BenchError::Untrue { machines, running })
}
