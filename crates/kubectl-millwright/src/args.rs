//! The flags.

use clap::{Parser, Subcommand, ValueEnum};
use millwright_admission::UnknownProviders;

/// Exit codes, for --help.
const EXIT_CODES: &str = "Exit codes:
  0  nothing is wrong (warnings may have been printed)
  1  something is wrong; with --strict a warning is enough
  2  it could not run: a file can't be read, a folder holds nothing to read, a flag is wrong

Examples:
  kubectl millwright lint machines/
  kubectl kustomize overlays/production | kubectl millwright lint -
  kubectl millwright lint --strict --output=json machines/ > findings.json";

/// Tools for millwright's machines.
#[derive(Debug, Parser)]
#[command(name = "kubectl-millwright", bin_name = "kubectl millwright", version, about)]
pub struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge files by the rules of the webhook, without a cluster.
    #[command(after_help = EXIT_CODES)]
    Lint(LintArgs),
    /// Print what a rule says, or all rules.
    Rules {
        /// The name in brackets at the end of a message.
        rule: Option<String>,
    },
    /// Print the version.
    Version,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LintArgs {
    /// Files, folders (every *.yaml, *.yml and *.json below them) and - for the standard input. References are looked up among all of them.
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<String>,
    /// Namespace of objects that name none, as for kubectl. Without it rules about namespaces pass over such objects.
    #[arg(long, short)]
    pub(crate) namespace: Option<String>,
    /// What becomes of a class whose provider this build does not know: refused, or told, for classes that another controller works with.
    #[arg(long, value_name = "MANNER", default_value = "refused")]
    pub(crate) unknown_providers: UnknownProviders,
    /// What to print.
    #[arg(long, short, value_enum, default_value_t)]
    pub(crate) output: Output,
    /// Let warnings fail as errors do.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print no summary, and warnings only with --strict.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The form of what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// A line for each finding, then a summary; coloured on a terminal unless NO_COLOR is set.
    #[default]
    Text,
    /// One array with an object for each finding.
    Json,
}
