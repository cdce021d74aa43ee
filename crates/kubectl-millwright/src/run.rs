//! A command from its flags to its exit code.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use millwright_admission::suggestion;
use millwright_provider::{Rule, Severity};

use crate::Args;
use crate::args::{Command, LintArgs, Output};
use crate::finding::Finding;
use crate::judge::{Judgement, judge};
use crate::report;
use crate::rules::{self, RulesError};
use crate::schema::Crds;
use crate::sources::{SourceError, gather};

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing is wrong.
    Clean,
    /// Something is wrong with the files.
    Findings,
    /// The files were not judged.
    CouldNotRun,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::CouldNotRun => 2,
        })
    }
}

/// Whether what is printed has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// It goes to a file or another program.
    Plain,
    /// It goes to a terminal.
    Coloured,
}

impl Paint {
    /// The text in a colour, by its number among the terminal's.
    pub(crate) fn with(self, colour: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
        }
    }
}

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
    let rulebook = rules::rulebook()?;
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

fn explain(id: Option<&str>, out: &mut dyn Write) -> Result<Exit, RunError> {
    let Some(id) = id else {
        for rule in rules::all() {
            writeln!(out, "{}", rule.id)?;
        }
        return Ok(Exit::Clean);
    };
    let Some(rule) = rules::all().find(|rule| rule.id.as_str() == id) else {
        let near = suggestion(id, rules::all().map(|rule| rule.id.as_str()));
        return Err(RunError::NoRule { rule: id.to_owned(), near });
    };
    let Rule { id, severity, at, says } = rule;
    writeln!(out, "{id} ({}; {at})\n\n{says}", report::severity(*severity))?;
    Ok(Exit::Clean)
}
