//! Findings for people, a line each, in the form that editors and CI systems know.

use std::fmt::Write as _;
use std::io::{self, Write};

use millwright_provider::Severity;

use crate::Paint;
use crate::finding::{Finding, Subject};
use crate::judge::Tally;
use crate::report::severity;

/// A line for each.
pub(crate) fn text(findings: &[&Finding], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let place = finding.place;
        let head = format!("{}:{}:{}", visible(&finding.file), place.line, place.column);
        let label = severity(finding.severity);
        let colour = match finding.severity {
            Severity::Error => "31",
            Severity::Warning => "33",
        };
        let subject = finding.subject.as_deref().map(named).unwrap_or_default();
        let field = if finding.field.is_empty() { String::new() } else { format!("{}: ", finding.field) };
        let message = visible(&format!("{subject}{field}{}", finding.message));
        writeln!(
            out,
            "{}: {}: {message} [{}]",
            paint.with("1", &head),
            paint.with(colour, label),
            finding.rule
        )?;
    }
    Ok(())
}

/// The last line.
pub(crate) fn summary(tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
    let Tally { files, objects, others, errors, warnings, files_with_findings } = *tally;
    let read = format!("{} in {}", count(objects, "object"), count(files, "file"));
    let skipped = if others == 0 {
        String::new()
    } else {
        format!("; {} of other kinds skipped", count(others, "document"))
    };
    if errors + warnings > 0 {
        let found = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
        return writeln!(out, "{found} in {} ({read}{skipped})", count(files_with_findings, "file"));
    }
    if objects == 0 {
        return writeln!(out, "nothing of machine.sapcloud.io to judge ({read}{skipped})");
    }
    writeln!(out, "no mistakes ({read}{skipped})")
}

fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

fn named(Subject { kind, namespace, name }: &Subject) -> String {
    let slash = if namespace.is_empty() { "" } else { "/" };
    let name = if name.is_empty() { "(no name)" } else { name };
    format!("{kind} {namespace}{slash}{name}: ")
}

/// Nothing in a file may move the cursor or break a line.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() {
            _ = write!(shown, "{}", char.escape_default()); // writing to a String can't fail
        } else {
            shown.push(char);
        }
    }
    shown
}
