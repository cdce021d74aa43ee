//! Findings for programs. The fields are those of docs/operations/lint.md and only ever become more.

use std::io::{self, Write};

use millwright_provider::Severity;
use serde::Serialize;

use crate::finding::Finding;

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    kind: Option<&'a str>,
    namespace: Option<&'a str>,
    name: Option<&'a str>,
    field: &'a str,
    rule: &'a str,
    severity: &'a str,
    message: &'a str,
    doc: String,
}

/// One array, an object a line.
pub(crate) fn json(findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    for (index, finding) in findings.iter().enumerate() {
        out.write_all(if index == 0 { b"[\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &line(finding))?;
    }
    out.write_all(if findings.is_empty() { b"[]\n" } else { b"\n]\n" })
}

fn line(finding: &Finding) -> Line<'_> {
    let subject = finding.subject.as_deref();
    let filled = |text: &'_ str| !text.is_empty();
    let rule = finding.rule.as_str();
    Line {
        file: &finding.file,
        line: finding.place.line,
        column: finding.place.column,
        kind: subject.map(|subject| subject.kind.as_str()),
        namespace: subject.map(|subject| subject.namespace.as_str()).filter(|text| filled(text)),
        name: subject.map(|subject| subject.name.as_str()).filter(|text| filled(text)),
        field: &finding.field,
        rule,
        severity: severity(finding.severity),
        message: &finding.message,
        doc: doc(rule),
    }
}

/// The name of a severity in every output.
pub(crate) const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// The page and heading that tell more.
fn doc(rule: &str) -> String {
    let page = if rule.starts_with("lint/") { "docs/operations/lint.md" } else { "docs/reference/rules.md" };
    format!("{page}#{}", rule.replace('/', ""))
}
