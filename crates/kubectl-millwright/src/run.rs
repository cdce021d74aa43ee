//! A command from its flags to its exit code.

use std::io::{self, Read, Write};

use millwright_provider::Severity;

use crate::args::{Command, LintArgs, Output};
use crate::explain::explain;
use crate::finding::Finding;
use crate::judge::{Judgement, judge};
use crate::rules::{RulesError, rulebook};
use crate::schema::Crds;
use crate::sources::{SourceError, gather};
use crate::{Args, Exit, Paint, report};

/// Why a command did nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A mistake in the build.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// There is no such rule.
    #[error("there is no rule {rule:?} (kubectl millwright rules lists all){near}")]
    NoRule {
        /// As it was asked for.
        rule: String,
        /// What may have been meant.
        near: String,
    },
    /// Standard output.
    #[error("the output can't be written: {0}")]
    Output(#[from] io::Error),
}

impl RunError {
    /// Whether nobody reads the output any more.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Does what the flags say.
///
/// # Errors
/// When a file can't be read, a rule does not exist or the output can't be written.
pub fn run(args: &Args, stdin: &mut dyn Read, out: &mut dyn Write, paint: Paint) -> Result<Exit, RunError> {
    match &args.command {
        Command::Lint(args) => lint(args, stdin, out, paint),
        Command::Rules { rule } => explain(rule.as_deref(), out),
        Command::Version => {
            writeln!(out, "kubectl-millwright {}", env!("CARGO_PKG_VERSION"))?;
            Ok(Exit::Clean)
        }
    }
}

fn lint(args: &LintArgs, stdin: &mut dyn Read, out: &mut dyn Write, paint: Paint) -> Result<Exit, RunError> {
    let rulebook = rulebook()?.with_unknown_providers(args.unknown_providers);
    let sources = gather(&args.files, stdin)?;
    let namespace = args.namespace.as_deref().unwrap_or_default();
    let Judgement { findings, tally } = judge(sources, namespace, &rulebook, &Crds::default());
    let is_shown = |finding: &&Finding| finding.severity == Severity::Error || args.strict || !args.quiet;
    let shown: Vec<&Finding> = findings.iter().filter(is_shown).collect();
    match args.output {
        Output::Text => {
            report::text(&shown, paint, out)?;
            if !args.quiet {
                report::summary(&tally, out)?;
            }
        }
        Output::Json => report::json(&shown, out)?,
    }
    let counts = if args.strict { tally.errors + tally.warnings } else { tally.errors };
    Ok(if counts == 0 { Exit::Clean } else { Exit::Findings })
}
