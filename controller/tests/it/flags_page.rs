//! docs/reference/flags.md is made from the flags themselves.

use std::fmt::Write as _;

use clap::{Arg, CommandFactory as _};
use millwright_controller::Args;

use crate::page;

const INTRODUCTION: &str = "\
# Flags of millwright-controller

Names, ways of writing and, with the exceptions below, defaults are those of machine-controller-manager's two programs. A flag may
be written `--flag=value` or `--flag value`; one that is yes or no also as `--flag`, and then with `=` only. When a flag is
given twice, the last one counts; only `--cloud-endpoint` may be given several times. Durations are Go's: `90s`, `20m`, `1h30m`. All mistakes are reported at once, and the program ends with exit code 1.

Different from machine-controller-manager: `--kube-api-qps` and `--kube-api-burst` ([why](../decisions/0006-request-rate.md)), and
`--port` and `--concurrent-syncs`, where its two programs have different defaults. Only here: `--controllers`, `--providers`,
`--machine-safety-orphan-vms-grace`, `--shutdown-grace`, `--log-format`, `--cloud-endpoint`, `--provider-id`.

This page is made from the program; a test holds it against it.
";

#[test]
fn the_page_of_flags_says_what_the_program_takes() {
    let command = Args::command();
    let mut text = INTRODUCTION.to_owned();
    let mut heading = None;
    for flag in command.get_arguments().filter(|flag| flag.get_long().is_some()) {
        if flag.get_help_heading() != heading {
            heading = flag.get_help_heading();
            writeln!(text, "\n## {}\n\n| flag | default | meaning |\n|---|---|---|", heading.unwrap())
                .unwrap();
        }
        writeln!(text, "{}", row(flag)).unwrap();
    }
    page::hold("flags.md", &text);
}

fn row(flag: &Arg) -> String {
    let short = flag.get_short().map_or_else(String::new, |short| format!("`-{short}`, "));
    let default: Vec<_> = flag.get_default_values().iter().map(|value| value.to_str().unwrap()).collect();
    let default = match default.as_slice() {
        [] | [""] => String::new(),
        [value] => format!("`{value}`"),
        several => panic!("{flag:?} has {several:?}"),
    };
    let help = flag.get_long_help().or(flag.get_help()).unwrap().to_string();
    format!("| {short}`--{}` | {default} | {} |", flag.get_long().unwrap(), help.replace('\n', " "))
}
