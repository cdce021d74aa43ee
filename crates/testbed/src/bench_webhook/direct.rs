//! Asks the webhook itself: every question, in both protocols, at every load.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{
    arguments::WebhookBenchArguments,
    cases::cases,
    client::Protocol,
    error::WebhookBenchError,
    figures::{Latency, median},
    load::{Askers, Load},
    started::Program,
};
use crate::{bench::Proc, guard::Guard, screen::Screen};

/// Asked before anything is measured: connections, allocations and caches are as they stay.
const WARM_UP: Duration = Duration::from_millis(500);
const LAST_WAIT: Duration = Duration::from_secs(15);

/// One question at one load.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Cell {
    pub(super) case: &'static str,
    pub(super) protocol: &'static str,
    pub(super) at_a_time: u16,
    #[serde(flatten)]
    pub(super) latency: Latency,
    /// The webhook's processor time for a request, in microseconds.
    pub(super) cpu_micros: f64,
}

/// All that was measured without an API server.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Direct {
    pub(super) cells: Vec<Cell>,
    pub(super) start_ms: f64,
    pub(super) idle_mib: f64,
    pub(super) peak_mib: f64,
    pub(super) binary_mb: f64,
}

/// Measures.
pub(super) async fn measure(
    program: &Program,
    arguments: &WebhookBenchArguments,
    screen: &Screen,
) -> Result<Direct, WebhookBenchError> {
    let guard = Guard::start()?;
    let size = std::fs::metadata(&program.executable)
        .map_err(WebhookBenchError::file("look at", &program.executable))?
        .len();
    let mut starts = Vec::new();
    for _ in 0..arguments.starts {
        let mut started = program.start(&guard).await?;
        starts.push(started.took);
        started.process.terminate(LAST_WAIT).await;
    }
    let mut started = program.start(&guard).await?;
    let proc = Proc(started.process.pid());
    let idle_mib = mib(proc.resident_kib()?);
    let mut cells = Vec::new();
    for case in cases() {
        for protocol in Protocol::BOTH {
            for &at_a_time in &arguments.at_a_time {
                let load = Load { protocol, at_a_time, time: Duration::from_secs(arguments.seconds) };
                let mut askers = Askers::connect(&started.target, load).await?;
                askers.ask(&case, WARM_UP).await?;
                let (cpu, begun) = (proc.cpu()?, Instant::now());
                let micros = askers.ask(&case, load.time).await?;
                let (lasted, cpu) = (begun.elapsed(), proc.cpu()? - cpu);
                // Those that only settle what to expect count for the processor too.
                #[expect(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^53")]
                let asked = micros.len() as f64 + f64::from(at_a_time);
                let cell = Cell {
                    case: case.name,
                    protocol: protocol.name(),
                    at_a_time,
                    latency: Latency::of(micros, lasted),
                    cpu_micros: cpu.as_secs_f64() * 1e6 / asked,
                };
                screen.state(&format!("{} {} {at_a_time}", cell.case, cell.protocol));
                cells.push(cell);
            }
        }
    }
    let peak_mib = mib(proc.high_water_kib()?);
    started.process.terminate(LAST_WAIT).await;
    let start_ms = median(starts).as_secs_f64() * 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "a program is far smaller than 2^53 bytes")]
    let binary_mb = size as f64 / 1e6;
    Ok(Direct { cells, start_ms, idle_mib, peak_mib, binary_mb })
}

#[expect(clippy::cast_precision_loss, reason = "the memory of a process is far below 2^53 KiB")]
fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
