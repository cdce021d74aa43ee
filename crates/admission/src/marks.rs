//! Labels and annotations that the controllers and autoscalers act on. One that can't be read is not noticed by anybody: the machine is
//! not kept, the size not bounded, the window never open.

mod autoscaler;
mod misspelt;

use jiff::Timestamp;
use millwright_api::keys::{annotations, labels};
use millwright_api::{GoDuration, MaintenanceWindows};

use crate::Kind;
use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::rules;

const PRESERVE_VALUES: [&str; 4] = ["now", "when-failed", "auto-preserved", "false"];
/// As Go's `ParseBool` reads them.
const FLAGS: [&str; 12] = ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];
/// Entries of a list that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// Those of an object of that kind.
pub(crate) fn judge(kind: Kind, metadata: &Field<'_>, findings: &mut Findings) {
    match kind {
        Kind::MachineClass => {}
        Kind::Machine => judge_machine(metadata, findings),
        Kind::MachineSet => judge_group(metadata, findings),
        Kind::MachineDeployment => {
            judge_group(metadata, findings);
            let annotations = metadata.at("annotations");
            judge_window(&annotations.key(annotations::MAINTENANCE_WINDOW), findings);
            judge_deletions(&annotations.key(annotations::TRIGGER_DELETION), findings);
        }
    }
    misspelt::judge(&metadata.at("annotations"), findings);
}

/// Those of a machine, or of the template of machines.
pub(crate) fn judge_machine(metadata: &Field<'_>, findings: &mut Findings) {
    let annotations = metadata.at("annotations");
    let priority = annotations.key(annotations::MACHINE_PRIORITY);
    if let Some(text) = text(&priority).filter(|text| text.parse::<i32>().is_err()) {
        let detail = format!("{text:?} is not a whole number; machines of the lowest go first, 3 is usual");
        findings.invalid(rules::MACHINE_PRIORITY, &priority, detail);
    }
    let preserve = annotations.key(annotations::PRESERVE);
    if let Some(text) = text(&preserve).filter(|text| !PRESERVE_VALUES.contains(text)) {
        let near = suggestion(text, PRESERVE_VALUES);
        let detail = format!("{text:?} is not one of {}{near}", PRESERVE_VALUES.join(", "));
        findings.not_supported(rules::PRESERVE_VALUE, &preserve, detail);
    }
    judge_time(&annotations.key(annotations::MARKED_FOR_DELETION_TIME), findings);
    judge_creation_timeout(&annotations, findings);
    let labels = metadata.at("labels");
    let deletion = labels.key(labels::FORCE_DELETION);
    if let Some(text) = text(&deletion).filter(|text| !FLAGS.contains(text)) {
        let detail = format!("{text:?} is neither true nor false; write \"True\" to skip all waiting");
        findings.not_supported(rules::FORCE_DELETION, &deletion, detail);
    }
    let drain = labels.key(labels::FORCE_DRAIN);
    if let Some(text) = text(&drain).filter(|text| *text != "True") {
        findings.warn(rules::FORCE_DRAIN, &drain, format!("{text:?} has no effect; only \"True\" has"));
    }
}

/// Those of a set or deployment.
fn judge_group(metadata: &Field<'_>, findings: &mut Findings) {
    let annotations = metadata.at("annotations");
    judge_time(&annotations.key(annotations::LAST_REPLICA_CHANGE_BY_SCALER), findings);
    judge_creation_timeout(&annotations, findings);
    autoscaler::judge(&annotations, findings);
}

fn judge_creation_timeout(annotations: &Field<'_>, findings: &mut Findings) {
    let timeout = annotations.key(annotations::EFFECTIVE_CREATION_TIMEOUT);
    if let Some(text) = text(&timeout)
        && let Err(error) = GoDuration(text.to_owned()).parse()
    {
        findings.invalid(rules::DURATION, &timeout, error.to_string());
    }
}

/// An unreadable window would hold every rollout.
fn judge_window(annotation: &Field<'_>, findings: &mut Findings) {
    let window = annotation.value().and_then(|value| value.as_str());
    if let Some(Err(error)) = window.map(str::parse::<MaintenanceWindows>) {
        findings.invalid(rules::MAINTENANCE_WINDOW, annotation, error.to_string());
    }
}

/// Only told: an autoscaler writes it, and must not be kept from scaling.
fn judge_deletions(annotation: &Field<'_>, findings: &mut Findings) {
    let Some(text) = text(annotation) else { return };
    let readable = |entry: &str| {
        let (name, time) = entry.split_once('~').map_or((entry, None), |(name, time)| (name, Some(time)));
        crate::syntax::dns_subdomain(name).is_ok()
            && time.is_none_or(|time| time.parse::<Timestamp>().is_ok())
    };
    if let Some(entry) = text.split(',').map(str::trim).take(MOST_ENTRIES).find(|entry| !readable(entry)) {
        let detail = format!(
            "{entry:?} is ignored; write machine~time, as in m-1~2026-01-31T12:00:00Z, with commas between"
        );
        findings.warn(rules::TRIGGER_DELETION, annotation, detail);
    }
}

/// Only told: controllers and autoscalers write such times.
fn judge_time(annotation: &Field<'_>, findings: &mut Findings) {
    if let Some(text) = text(annotation).filter(|text| text.parse::<Timestamp>().is_err()) {
        let detail = format!("{text:?} is ignored; write a time such as 2026-01-31T12:00:00Z");
        findings.warn(rules::TIME, annotation, detail);
    }
}

/// What stands there, if it is a text that says something. Another type is reported where all annotations are.
fn text<'a>(field: &Field<'a>) -> Option<&'a str> {
    field.value().and_then(|value| value.as_str()).filter(|text| !text.is_empty())
}
