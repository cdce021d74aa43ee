//! The result: a table for people, JSON for programs.

use std::{fmt::Write, path::Path};

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{error::BenchError, phase::Phase};

/// All phases, in the order in which they were measured.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Report {
    pub(super) machines: u32,
    #[serde(serialize_with = "as_map")]
    pub(super) phases: Vec<(String, Phase)>,
}

fn as_map<S: Serializer>(phases: &[(String, Phase)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(phases.len()))?;
    for (name, phase) in phases {
        map.serialize_entry(name, phase)?;
    }
    map.end()
}

impl Report {
    /// Writes the JSON file.
    pub(super) fn write(&self, path: &Path) -> Result<(), BenchError> {
        let write = || {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            std::fs::write(path, text)
        };
        write().map_err(BenchError::file("write", path))
    }

    /// The table, and below it what the requests were.
    pub(super) fn table(&self) -> String {
        let mut text = format!(
            "{:<10}{:>8}{:>8}{:>10}{:>10}{:>10}{:>8}{:>8}{:>8}{:>8}{:>10}\n",
            "phase",
            "seconds",
            "CPU s",
            "CPU ms/m",
            "peak MiB",
            "requests",
            "/m",
            "writes",
            "/m",
            "cloud",
            "own count"
        );
        let each = |phase: &Phase, count: u64| {
            #[expect(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^53")]
            let each = count as f64 / f64::from(phase.machines.max(1));
            format!("{each:.2}")
        };
        for (name, phase) in &self.phases {
            let Phase { seconds, cpu_seconds, peak_rss_mib, api_requests, api_writes, cloud_calls, .. } =
                phase;
            let cpu_each = cpu_seconds * 1000.0 / f64::from(phase.machines.max(1));
            // Writing to a String can't fail.
            let _ = writeln!(
                text,
                "{name:<10}{seconds:>8.1}{cpu_seconds:>8.2}{cpu_each:>10.2}{peak_rss_mib:>10.1}{api_requests:>10}{:>8}{api_writes:>8}{:>8}{cloud_calls:>8}{:>10}",
                each(phase, *api_requests),
                each(phase, *api_writes),
                phase.own_count
            );
        }
        text.push_str("/m: for each machine; own count: requests that the controller counted itself\n");
        for (name, phase) in &self.phases {
            let _ = writeln!(text, "\n{name}, by verb and resource");
            for (kind, count) in &phase.by {
                let _ = writeln!(text, "{count:>8}{:>8}  {kind}", each(phase, *count));
            }
            if let Some(seconds) = phase.first_vm_seconds {
                let _ = writeln!(text, "{seconds:>8.2}          seconds from the start to the first new VM");
            }
            for (operation, count) in &phase.cloud_by {
                let _ = writeln!(text, "{count:>8}{:>8}  cloud: {operation}", each(phase, *count));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;

    fn report() -> Report {
        let create = Phase {
            machines: 10,
            seconds: 2.5,
            cpu_seconds: 0.5,
            peak_rss_mib: 12.25,
            api_requests: 50,
            api_writes: 40,
            cloud_calls: 10,
            by: BTreeMap::from([("PATCH machines/status".to_owned(), 20)]),
            own_count: 49,
            cloud_by: BTreeMap::from([("CreateVm".to_owned(), 10)]),
            first_vm_seconds: None,
        };
        let named = |name: &str| (name.to_owned(), create.clone());
        Report { machines: 10, phases: vec![named("create"), named("delete")] }
    }

    #[test]
    fn the_json_has_the_phases_in_order_with_the_names_that_readers_know() {
        let text = serde_json::to_string(&report()).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["machines"], 10);
        assert_eq!(
            read["phases"]["create"],
            json!({
                "machines": 10, "seconds": 2.5, "cpu_seconds": 0.5, "peak_rss_mib": 12.25,
                "api_requests": 50, "api_writes": 40, "cloud_calls": 10,
                "by": { "PATCH machines/status": 20 }, "cloud_by": { "CreateVm": 10 },
            })
        );
        assert!(text.find("create").unwrap() < text.find("delete").unwrap());
    }

    #[test]
    fn the_table_has_figures_for_each_machine() {
        let table = report().table();
        let create: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(
            create,
            ["create", "2.5", "0.50", "50.00", "12.2", "50", "5.00", "40", "4.00", "10", "49"]
        );
        assert!(table.contains("20    2.00  PATCH machines/status"), "{table}");
        assert!(table.contains("10    1.00  cloud: CreateVm"), "{table}");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let error = report().write(Path::new("/none/bench.json")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write /none/bench.json"), "{error}");
    }
}
