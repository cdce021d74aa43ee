//! What is aimed at, beside what was measured. Times and processor time depend on the machine; counts do not.

use std::fmt::Write;

use super::{phase::Phase, report::Report};

/// One aim. Those that name a number of machines are only held against a bench of that many.
struct Aim {
    what: &'static str,
    machines: Option<u32>,
    most: f64,
    measured: fn(&Report) -> Option<f64>,
}

const fn aim(what: &'static str, most: f64, measured: fn(&Report) -> Option<f64>) -> Aim {
    Aim { what, machines: None, most, measured }
}

const fn aim_at(machines: u32, what: &'static str, most: f64, measured: fn(&Report) -> Option<f64>) -> Aim {
    Aim { what, machines: Some(machines), most, measured }
}

const AIMS: &[Aim] = &[
    aim_at(500, "seconds to create", 12.0, |report| seconds(report, "create")),
    aim_at(1000, "seconds to create", 22.0, |report| seconds(report, "create")),
    aim_at(5000, "seconds to create", 120.0, |report| seconds(report, "create")),
    aim_at(100, "seconds to roll, surge 10%", 16.0, |report| seconds(report, "roll 10%")),
    aim_at(500, "seconds to roll, surge 25%", 30.0, |report| seconds(report, "roll 25%")),
    aim_at(500, "seconds to delete", 12.0, |report| seconds(report, "delete")),
    aim_at(500, "seconds from a restart to the first VM", 1.0, |report| {
        report.phase("restart")?.first_vm_seconds
    }),
    aim_at(500, "controller's CPU seconds to create", 1.5, |report| {
        Some(report.phase("create")?.cpu_seconds)
    }),
    aim_at(500, "peak memory in MiB", 25.0, peak_memory),
    aim_at(1000, "peak memory in MiB", 30.0, peak_memory),
    aim_at(5000, "peak memory in MiB", 60.0, peak_memory),
    aim("API requests for a birth", 6.0, |report| each(report.phase("create")?, |p| p.api_requests)),
    aim("API writes to a machine and its node, for a birth", 5.0, |report| {
        each(report.phase("create")?, writes_to_machines)
    }),
    aim("API requests for a machine rolled", 16.0, |report| {
        let rolls = report.phases.iter().filter(|(name, _)| name.starts_with("roll"));
        rolls.filter_map(|(_, phase)| each(phase, |p| p.api_requests)).reduce(f64::max)
    }),
    aim("cloud calls for a birth", 1.1, |report| each(report.phase("create")?, |p| p.cloud_calls)),
    aim("VMs made beyond those wanted", 0.0, |report| {
        let create = report.phase("create")?;
        let made = create.cloud_by.iter().filter(|(call, _)| is_creation(call)).map(|(_, count)| count);
        number(made.sum::<u64>().saturating_sub(u64::from(create.machines)))
    }),
    aim_at(500, "lists of VMs to delete", 5.0, |report| {
        let calls = &report.phase("delete")?.cloud_by;
        number(calls.iter().filter(|(call, _)| is_list_of_vms(call)).map(|(_, count)| count).sum())
    }),
    aim("idle: API writes other than leases", 0.0, |report| {
        let by = &report.phase("idle")?.by;
        number(
            by.iter().filter(|(kind, _)| is_write(kind) && !kind.ends_with(" leases")).map(|(_, n)| n).sum(),
        )
    }),
];

impl Report {
    /// Each aim that this bench can tell something about, and whether it was reached.
    pub(super) fn targets(&self) -> String {
        let mut text = format!("{:<52}{:>10}{:>10}\n", "aim", "at most", "measured");
        let fitting = AIMS.iter().filter(|aim| aim.machines.is_none_or(|machines| machines == self.machines));
        for Aim { what, most, measured, .. } in fitting {
            let Some(measured) = measured(self) else { continue };
            let verdict = if rounded(measured) <= *most { "" } else { "  missed" };
            // Writing to a String can't fail.
            let _ = writeln!(text, "{what:<52}{most:>10}{measured:>10.2}{verdict}");
        }
        text
    }

    fn phase(&self, name: &str) -> Option<&Phase> {
        self.phases.iter().find(|(phase, _)| phase == name).map(|(_, phase)| phase)
    }
}

/// As it is shown.
fn rounded(measured: f64) -> f64 {
    (measured * 100.0).round() / 100.0
}

fn seconds(report: &Report, phase: &str) -> Option<f64> {
    Some(report.phase(phase)?.seconds)
}

fn peak_memory(report: &Report) -> Option<f64> {
    report.phases.iter().map(|(_, phase)| phase.peak_rss_mib).reduce(f64::max)
}

/// Leases, events and the numbers of sets and deployments do not grow with the machines.
fn writes_to_machines(phase: &Phase) -> u64 {
    let kinds = phase.by.iter().filter(|(kind, _)| is_write(kind) && is_of_a_machine(kind));
    kinds.map(|(_, count)| count).sum()
}

fn is_write(kind: &str) -> bool {
    ["POST ", "PUT ", "PATCH ", "DELETE "].iter().any(|verb| kind.starts_with(verb))
}

fn is_of_a_machine(kind: &str) -> bool {
    let resource = kind.split_once(' ').map_or(kind, |(_, resource)| resource);
    ["machines", "machines/status", "nodes", "nodes/status"].contains(&resource)
}

fn each(phase: &Phase, count: fn(&Phase) -> u64) -> Option<f64> {
    Some(number(count(phase))? / f64::from(phase.machines.max(1)))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::unnecessary_wraps,
    reason = "counts of a bench are far below 2^53; aims may have no figure"
)]
fn number(count: u64) -> Option<f64> {
    Some(count as f64)
}

fn is_creation(call: &str) -> bool {
    call == "CreateVm"
}

fn is_list_of_vms(call: &str) -> bool {
    call == "ListVms"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn phase() -> Phase {
        Phase {
            machines: 500,
            seconds: 12.5,
            cpu_seconds: 0.5,
            peak_rss_mib: 24.0,
            api_requests: 2550,
            api_writes: 2501,
            cloud_calls: 500,
            by: BTreeMap::from([
                ("PUT leases".to_owned(), 6),
                ("WATCH nodes".to_owned(), 1),
                ("GET nodes".to_owned(), 2),
                ("PATCH machines/status".to_owned(), 2500),
                ("PATCH machinesets/status".to_owned(), 7),
            ]),
            own_count: 0,
            cloud_by: BTreeMap::from([("CreateVm".to_owned(), 501)]),
            first_vm_seconds: None,
        }
    }

    fn verdicts(machines: u32, phases: &[&str]) -> Vec<(String, bool)> {
        let phases = phases.iter().map(|name| ((*name).to_owned(), phase())).collect();
        let text = Report { machines, phases }.targets();
        let line = |line: &str| (line[..52].trim().to_owned(), !line.ends_with("missed"));
        text.lines().skip(1).map(line).collect()
    }

    #[test]
    fn what_is_missed_is_said_and_a_lease_between_the_requests_is_none() {
        let verdicts = verdicts(500, &["create", "idle"]);
        let of = |what: &str| verdicts.iter().find(|(aim, _)| aim == what).map(|(_, reached)| *reached);
        for (what, reached) in [
            ("seconds to create", false),
            ("controller's CPU seconds to create", true),
            ("peak memory in MiB", true),
            ("API writes to a machine and its node, for a birth", true),
            ("VMs made beyond those wanted", false),
            ("idle: API writes other than leases", false),
        ] {
            assert_eq!(of(what), Some(reached), "{what}");
        }
        assert_eq!(of("seconds to delete"), None, "it was not measured");
    }

    #[test]
    fn an_aim_for_another_number_of_machines_says_nothing() {
        assert!(verdicts(7, &["create"]).iter().all(|(what, _)| what != "seconds to create"));
    }
}
