//! The order of events: prepare, create, roll, idle, restart, delete, report.

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    arguments::{BenchArguments, Optional},
    error::BenchError,
    meter::Meter,
    observer::Resource,
    phase::Phase,
    report::Report,
    setting::Setting,
    until::{Goal, LAST_LINES, reached},
    workload::{self, Class},
};
use crate::{
    checkout,
    cli::{CliError, Ownership, Record},
    end_request::EndRequest,
    process::last_lines,
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
    let BenchArguments { machines, json, surge, idle_seconds, pods, skip, .. } = arguments;
    let all = Goal::Machines(*machines);
    let mut report = Report { machines: *machines, phases: Vec::new() };
    setting.screen.title(&format!("{machines} machines in one MachineDeployment"));

    let meter = Meter::start(setting).await?;
    setting.observer.create(Resource::Deployments, &workload::deployment(*machines)).await?;
    report.phases.push(("create".to_owned(), reach(setting, meter, "create", all).await?));
    running(setting, *machines).await?;

    let mut class = Class::Old;
    for surge in surge.iter().filter(|_| !skip.contains(&Optional::Roll)) {
        let name = format!("roll {surge}");
        class = class.other();
        let meter = Meter::start(setting).await?;
        setting.observer.change(&workload::roll(class, surge)).await?;
        let phase = reach(setting, meter, &name, all).await?;
        report.phases.push((name, phase));
    }

    if !skip.contains(&Optional::Idle) {
        let meter = Meter::start(setting).await?;
        let phase = idle(setting, meter, Duration::from_secs(*idle_seconds), *machines).await?;
        report.phases.push(("idle".to_owned(), phase));
    }

    let mut left = *machines;
    if !skip.contains(&Optional::Restart) {
        left += 1;
        report.phases.push(("restart".to_owned(), restart(setting, left).await?));
    }

    if *pods > 0 {
        fill(setting, *pods).await?;
    }
    let meter = Meter::start(setting).await?;
    setting.observer.change(&workload::scale(0)).await?;
    let phase = reach_with(setting, meter, "delete", Goal::Nothing, left).await?;
    report.phases.push(("delete".to_owned(), phase));

    setting.screen.title("Result");
    setting.screen.text(&report.table());
    setting.screen.text(&report.targets());
    if let Some(path) = json {
        report.write(path)?;
        setting.screen.text(&format!("written to {}", path.display()));
    }
    Ok(())
}

/// Waits for so many machines, and measures until then.
async fn reach(setting: &Setting, meter: Meter, name: &str, goal: Goal) -> Result<Phase, BenchError> {
    let machines = match goal {
        Goal::Machines(machines) => machines,
        Goal::Nothing => 0,
    };
    reach_with(setting, meter, name, goal, machines).await
}

async fn reach_with(
    setting: &Setting,
    mut meter: Meter,
    name: &str,
    goal: Goal,
    machines: u32,
) -> Result<Phase, BenchError> {
    reached(setting, &mut meter, name, goal, patience(machines)).await?;
    finish(setting, meter, name, machines).await
}

/// Another process takes over while one machine is missing.
async fn restart(setting: &Setting, machines: u32) -> Result<Phase, BenchError> {
    setting.end_controller().await;
    setting.observer.change(&workload::scale(machines)).await?;
    let meter = Meter::start_without_controller(setting).await?;
    let (first_vm, ()) = tokio::try_join!(first_vm(setting, &meter, machines), setting.start_controller())?;
    let phase = reach(setting, meter, "restart", Goal::Machines(machines)).await?;
    Ok(Phase { first_vm_seconds: Some(first_vm.as_secs_f64()), ..phase })
}

/// When there are so many VMs.
async fn first_vm(setting: &Setting, meter: &Meter, machines: u32) -> Result<Duration, BenchError> {
    while setting.cloud.stats().await?.vms < u64::from(machines) {
        let took = meter.elapsed();
        if took >= patience(machines) {
            let log = setting.testbed.log_file("millwright-controller");
            let (seconds, last_lines) = (took.as_secs(), last_lines(&log, LAST_LINES));
            let state = "no new VM".to_owned();
            return Err(BenchError::TooSlow { phase: "restart".to_owned(), seconds, state, last_lines, log });
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(meter.elapsed())
}

/// Puts pods on every node.
async fn fill(setting: &Setting, pods: u32) -> Result<(), BenchError> {
    let start = Instant::now();
    for node in setting.observer.list(Resource::Nodes).await? {
        let name = node["metadata"]["name"].as_str().unwrap_or_default();
        for number in 0..pods {
            setting.observer.create(Resource::Pods, &workload::pod(name, number)).await?;
        }
    }
    setting.screen.seen("every node has its pods", start.elapsed());
    Ok(())
}

/// A phase that hangs must end some day; one that is slow is only slow.
fn patience(machines: u32) -> Duration {
    Duration::from_secs(900 + 4 * u64::from(machines))
}

async fn finish(setting: &Setting, meter: Meter, name: &str, machines: u32) -> Result<Phase, BenchError> {
    let took = meter.elapsed();
    let phase = meter.stop(setting, machines).await?;
    setting.screen.seen(name, took);
    Ok(phase)
}

async fn idle(
    setting: &Setting,
    mut meter: Meter,
    time: Duration,
    machines: u32,
) -> Result<Phase, BenchError> {
    while let Some(left) = time.checked_sub(meter.elapsed()).filter(|left| !left.is_zero()) {
        if let Some(ended) = setting.first_ended() {
            return Err(ended.into());
        }
        setting.screen.state("idle");
        meter.sample(setting)?;
        tokio::time::sleep(left.min(Duration::from_millis(500))).await;
    }
    finish(setting, meter, "idle", machines).await
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
