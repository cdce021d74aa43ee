//! The result: a table for people with the aims beside it, JSON for programs.

use std::{fmt::Write as _, path::Path};

use serde::Serialize;

use super::{
    direct::{Cell, Direct},
    error::WebhookBenchError,
    through::Through,
};

/// All figures.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Report {
    pub(super) direct: Direct,
    pub(super) through: Option<Through>,
}

/// What is aimed at, and what others need for the same: Kubermatic's webhook, measured on two cores.
struct Aim {
    what: &'static str,
    most: f64,
    others: f64,
    measured: fn(&Report) -> f64,
}

const AIMS: &[Aim] = &[
    Aim {
        what: "us of CPU a request, 8 at a time, worst case",
        most: 80.0,
        others: 405.0,
        measured: |report| report.worst(|cell| cell.cpu_micros),
    },
    Aim {
        what: "p99 in ms, 8 at a time, worst case",
        most: 2.0,
        others: 9.3,
        measured: |report| report.worst(|cell| cell.latency.p99_ms),
    },
    Aim { what: "peak memory in MiB", most: 15.0, others: 89.0, measured: |report| report.direct.peak_mib },
    Aim {
        what: "ms from start to ready",
        most: 100.0,
        others: 100.0,
        measured: |report| report.direct.start_ms,
    },
    Aim { what: "binary in MB", most: 10.0, others: 93.1, measured: |report| report.direct.binary_mb },
];

impl Report {
    /// Of all cases at the load that the aims are about.
    fn worst(&self, figure: impl Fn(&Cell) -> f64) -> f64 {
        let cells = self.direct.cells.iter().filter(|cell| cell.at_a_time == 8);
        cells.map(figure).fold(f64::NAN, f64::max)
    }

    /// Writes the JSON file.
    pub(super) fn write(&self, path: &Path) -> Result<(), WebhookBenchError> {
        let write = || {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            std::fs::write(path, text)
        };
        write().map_err(WebhookBenchError::file("write", path))
    }

    /// The tables.
    pub(super) fn tables(&self) -> String {
        let Self { direct, through } = self;
        // Writing to a String can't fail.
        let mut text = format!(
            "{:<30}{:>10}{:>11}{:>10}{:>10}{:>12}{:>16}\n",
            "question", "protocol", "at a time", "p50 ms", "p99 ms", "requests/s", "CPU us/request"
        );
        for Cell { case, protocol, at_a_time, latency, cpu_micros } in &direct.cells {
            let _ = writeln!(
                text,
                "{case:<30}{protocol:>10}{at_a_time:>11}{:>10.2}{:>10.2}{:>12.0}{cpu_micros:>16.0}",
                latency.p50_ms, latency.p99_ms, latency.per_second
            );
        }
        if let Some(Through { without, with, cpu_micros }) = through {
            let _ = writeln!(
                text,
                "\n{:<40}{:>10}{:>10}{:>12}",
                "a class created by dry run, 8 at a time", "p50 ms", "p99 ms", "requests/s"
            );
            for (name, latency) in [("without the webhook", without), ("with it", with)] {
                let _ = writeln!(
                    text,
                    "{name:<40}{:>10.2}{:>10.2}{:>12.0}",
                    latency.p50_ms, latency.p99_ms, latency.per_second
                );
            }
            let _ = writeln!(
                text,
                "{:<40}{:>9.2}x{:>9.2}x{:>11.2}x   webhook's CPU for a creation (two reviews): {cpu_micros:.0} us",
                "with / without",
                with.p50_ms / without.p50_ms,
                with.p99_ms / without.p99_ms,
                with.per_second / without.per_second
            );
        }
        let _ = writeln!(
            text,
            "\n{:<46}{:>10}{:>10}{:>10}{:>10}{:>8}",
            "aim", "at most", "measured", "", "others", "ratio"
        );
        for Aim { what, most, others, measured } in AIMS {
            let measured = measured(self);
            if measured.is_nan() {
                let _ = writeln!(text, "{what:<46}{most:>10.1}    (measured with --at-a-time 8)");
                continue;
            }
            let verdict = if measured <= *most { "reached" } else { "missed" };
            let _ = writeln!(
                text,
                "{what:<46}{most:>10.1}{measured:>10.1}{verdict:>10}{others:>10.1}{:>7.1}x",
                others / measured
            );
        }
        let _ = writeln!(text, "{:<46}{:>20.1}", "memory in MiB before the first request", direct.idle_mib);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_webhook::figures::Latency;

    fn report() -> Report {
        let latency = Latency { p50_ms: 0.5, p99_ms: 1.5, per_second: 9000.0 };
        let cell =
            |case, at_a_time, cpu_micros| Cell { case, protocol: "HTTP/2", at_a_time, latency, cpu_micros };
        let cells = vec![cell("one", 8, 50.0), cell("other", 8, 90.0), cell("one", 64, 400.0)];
        let direct = Direct { cells, start_ms: 20.0, idle_mib: 6.0, peak_mib: 12.0, binary_mb: 8.0 };
        let slower = Latency { per_second: 4500.0, ..latency };
        Report { direct, through: Some(Through { without: latency, with: slower, cpu_micros: 120.0 }) }
    }

    #[test]
    fn aims_are_held_against_the_worst_case_at_their_load() {
        let text = report().tables();
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert!(line("us of CPU").contains("90.0") && line("us of CPU").contains("missed"), "{text}");
        assert!(line("p99 in ms").contains("reached") && line("binary").contains("reached"), "{text}");
        assert!(line("with / without").contains("0.50x"), "{text}");
    }

    #[test]
    fn an_aim_at_a_load_that_was_not_measured_is_neither_reached_nor_missed() {
        let mut report = report();
        report.direct.cells.retain(|cell| cell.at_a_time != 8);
        let text = report.tables();
        let line = text.lines().find(|line| line.starts_with("us of CPU")).unwrap();
        assert!(!line.contains("reached") && !line.contains("missed"), "{line}");
    }
}
