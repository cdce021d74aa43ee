//! The process: flags in, exit code out.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use millwright_kubectl::{Args, Exit, Paint, RunError, run};

fn main() -> ExitCode {
    let args = Args::parse();
    match print(&args) {
        Ok(exit) => exit.into(),
        // Who closed the pipe has read enough.
        Err(error) if error.is_closed_pipe() => Exit::CouldNotRun.into(),
        Err(error) => {
            eprintln!("error: {error}");
            Exit::CouldNotRun.into()
        }
    }
}

fn print(args: &Args) -> Result<Exit, RunError> {
    let stdout = io::stdout();
    let colours = stdout.is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let paint = if colours { Paint::Coloured } else { Paint::Plain };
    let mut out = io::BufWriter::new(stdout.lock());
    let exit = run(args, &mut io::stdin().lock(), &mut out, paint)?;
    out.flush()?;
    Ok(exit)
}
