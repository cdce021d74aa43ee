//! What Linux knows of a process: processor time and memory.

use std::{fs, path::PathBuf, time::Duration};

use super::error::BenchError;

/// A process, by its id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proc(pub(crate) u32);

/// Whether the kernel's mark of the highest memory use could be taken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HighWater {
    /// It counts from now on.
    Reset,
    /// It counts from the start of the process.
    Stays,
}

impl Proc {
    /// Processor time since its start.
    pub(crate) fn cpu(self) -> Result<Duration, BenchError> {
        let ticks = self.read("stat", ticks)?;
        #[expect(clippy::cast_precision_loss, reason = "a century of ticks fits")]
        let seconds = ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
        Ok(Duration::from_secs_f64(seconds))
    }

    /// Takes the mark of the highest memory use down to what is used now.
    pub(crate) fn reset_high_water(self) -> HighWater {
        match fs::write(self.path("clear_refs"), "5") {
            Ok(()) => HighWater::Reset,
            Err(_) => HighWater::Stays,
        }
    }

    /// The highest memory use, in KiB.
    pub(crate) fn high_water_kib(self) -> Result<u64, BenchError> {
        self.read("status", |text| kib(text, "VmHWM:"))
    }

    /// The memory in use, in KiB.
    pub(crate) fn resident_kib(self) -> Result<u64, BenchError> {
        self.read("status", |text| kib(text, "VmRSS:"))
    }

    fn path(self, file: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{file}", self.0))
    }

    fn read<T>(self, file: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, BenchError> {
        let path = self.path(file);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let reason = "it is not written as expected".to_owned();
                parse(&text).ok_or(BenchError::Proc { path, reason })
            }
            Err(error) => Err(BenchError::Proc { path, reason: error.to_string() }),
        }
    }
}

/// User and system time of a `stat` file, in clock ticks.
fn ticks(stat: &str) -> Option<u64> {
    // The second field is the program's name in brackets, and may hold anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

fn kib(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_a_name_with_brackets() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 900 0 0 0 120 34 0 0 20 0 3 0 5 1 2";
        assert_eq!(ticks(stat), Some(154));
        assert_eq!(ticks("7 (x) S 1"), None);
    }

    #[test]
    fn memory_is_read_by_its_name() {
        let status = "Name:\tx\nVmHWM:\t    1752 kB\nVmRSS:\t 900 kB\n";
        assert_eq!(kib(status, "VmHWM:"), Some(1752));
        assert_eq!(kib(status, "VmRSS:"), Some(900));
        assert_eq!(kib(status, "VmSwap:"), None);
    }

    #[test]
    fn this_process_has_used_time_and_memory() {
        let this = Proc(std::process::id());
        this.cpu().unwrap();
        assert!(this.high_water_kib().unwrap() >= 1);
        assert!(this.resident_kib().unwrap() >= 1);
    }

    #[test]
    fn a_process_that_is_gone_is_an_error_with_its_file() {
        let error = Proc(u32::MAX).cpu().unwrap_err().to_string();
        assert!(error.contains("/proc/4294967295/stat"), "{error}");
    }
}
