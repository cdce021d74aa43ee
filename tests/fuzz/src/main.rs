//! `cargo fuzz-reviews`: a run of the fuzzer that ends, with an exit code, or one input again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use millwright_fuzz::{Corpus, CorpusError, Outcome, Webhook, WebhookError, fuzz, judge};

/// Throws changed AdmissionReviews at the webhook and fails when an answer is as it must never be.
#[derive(Debug, Parser)]
#[command(name = "fuzz-reviews", bin_name = "cargo fuzz-reviews")]
struct Arguments {
    /// How long
    #[arg(long, value_name = "SECONDS", default_value_t = 45)]
    seconds: u64,
    /// The chance to repeat
    #[arg(long, value_name = "NUMBER", default_value_t = 20_261_121)]
    seed: u64,
    /// Folder with the inputs to begin with [default: the one in the repository]
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// Where an input that breaks something is written
    #[arg(long, value_name = "FILE", default_value = "target/fuzz-finding.json")]
    finding: PathBuf,
    /// Try this input only
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: std::io::Error },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, RunError> {
    let file = |path: &Path| {
        let path = path.to_owned();
        move |reason| RunError::File { path, reason }
    };
    let webhook = Webhook::new()?;
    if let Some(path) = &arguments.replay {
        let input = std::fs::read(path).map_err(file(path))?;
        return Ok(match judge(&webhook, &input) {
            Ok(_) => {
                println!("{}: every answer is as it must be", path.display());
                ExitCode::SUCCESS
            }
            Err(finding) => {
                println!("{}: {finding}", path.display());
                ExitCode::FAILURE
            }
        });
    }
    let corpus = Corpus::read(arguments.corpus.as_deref().unwrap_or(&Corpus::folder()))?;
    let begun_with = corpus.inputs.len();
    let outcome = fuzz(&webhook, corpus, arguments.seed, Duration::from_secs(arguments.seconds));
    let Outcome { executions, new_inputs, features, finding } = outcome;
    println!(
        "{executions} executions from {begun_with} inputs and seed {}: {new_inputs} new inputs, {features} different \
         things said",
        arguments.seed
    );
    let Some((input, finding)) = finding else { return Ok(ExitCode::SUCCESS) };
    let path = &arguments.finding;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(file(folder))?;
    }
    std::fs::write(path, &input).map_err(file(path))?;
    println!("FOUND: {finding}\n{}", String::from_utf8_lossy(&input));
    println!("written to {0}; again: cargo fuzz-reviews --replay {0}", path.display());
    Ok(ExitCode::FAILURE)
}
