//! The flags of `cargo testbed bench`.

use std::path::PathBuf;

use clap::Args;

/// What to measure, and where the result goes.
#[derive(Debug, Clone, Args)]
pub struct BenchArguments {
    /// How many machines
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=50_000))]
    pub(super) machines: u32,
    /// A file for the figures, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// maxSurge of each rolling update, numbers or percentages; maxUnavailable is 0
    #[arg(long, value_name = "SURGE", default_value = "10%,25%", value_delimiter = ',', value_parser = surge)]
    pub(super) surge: Vec<Surge>,
    /// How long to do nothing after rolling
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(super) idle_seconds: u64,
    /// Pods on each node when the machines are deleted: each must be evicted
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) pods: u32,
    /// What to leave out
    #[arg(long, value_name = "PHASE", value_delimiter = ',')]
    pub(super) skip: Vec<Optional>,
    /// Leave everything running at the end, until Ctrl-C
    #[arg(long)]
    pub(super) keep: bool,
    /// The folder for logs, certificates and kubeconfigs [default: bench in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    pub(super) dir: Option<PathBuf>,
    /// Flags for the controller; its defaults are measured without any
    #[arg(last = true, value_name = "CONTROLLER FLAGS")]
    pub(super) controller_flags: Vec<String>,
}

/// Phases that the others do not need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Optional {
    /// Replacing every machine, once for each --surge
    Roll,
    /// Doing nothing
    Idle,
    /// Another controller process takes over and makes one machine more
    Restart,
}

/// How many machines more than wanted a rollout may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Surge {
    Count(u32),
    Percent(u32),
}

impl Surge {
    /// As MachineDeployments have it.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Count(count) => (*count).into(),
            Self::Percent(_) => self.to_string().into(),
        }
    }
}

impl std::fmt::Display for Surge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

fn surge(text: &str) -> Result<Surge, String> {
    let wrong = || "it must be a number above 0, such as 5, or a percentage above 0, such as 10%".to_owned();
    let (digits, make): (_, fn(u32) -> Surge) = match text.strip_suffix('%') {
        Some(digits) => (digits, Surge::Percent),
        None => (text, Surge::Count),
    };
    let number = digits.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
    Ok(make(number))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bench: BenchArguments,
    }

    fn parse(arguments: &[&str]) -> Result<BenchArguments, String> {
        let line = Line::try_parse_from(std::iter::once(&"bench").chain(arguments));
        line.map(|line| line.bench).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_comparison_with_others() {
        let bench = parse(&["--machines", "500"]).unwrap();
        assert_eq!((bench.machines, bench.idle_seconds), (500, 60));
        assert_eq!(bench.surge, [Surge::Percent(10), Surge::Percent(25)]);
        assert_eq!((bench.pods, bench.skip), (0, Vec::new()));
        assert!(bench.controller_flags.is_empty() && !bench.keep);
    }

    #[test]
    fn flags_after_two_dashes_are_the_controllers() {
        let bench =
            parse(&["--machines=5", "--surge=3", "--skip=roll,idle", "--", "--concurrent-syncs=9"]).unwrap();
        assert_eq!(bench.controller_flags, ["--concurrent-syncs=9"]);
        assert_eq!(bench.surge[0].to_json(), 3);
        assert_eq!(bench.skip, [Optional::Roll, Optional::Idle]);
    }

    #[test]
    fn a_bad_value_names_its_flag_and_what_is_allowed() {
        for (arguments, flag, wanted) in [
            (&["--machines=5", "--surge=0"][..], "--surge", "such as 10%"),
            (&["--machines=5", "--surge=some"], "--surge", "such as 10%"),
            (&["--machines=0"], "--machines", "1..=50000"),
            (&[], "--machines", "required"),
        ] {
            let error = parse(arguments).err().unwrap();
            assert!(error.contains(flag) && error.contains(wanted), "{error}");
        }
    }
}
