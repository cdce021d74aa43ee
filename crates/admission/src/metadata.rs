//! Labels and annotations: those inside templates, which the API server does not check for us, and those of the object itself.

use crate::field::Field;
use crate::findings::Findings;
use crate::{known_fields, rules, syntax};

/// The metadata of a template: `labels` and `annotations`, and what else stands there without effect.
pub(crate) fn judge(metadata: &Field<'_>, findings: &mut Findings) {
    if metadata.map(findings).is_none() {
        return;
    }
    known_fields::judge_metadata(metadata, findings);
    judge_keys(metadata, findings);
}

/// Keys and values of `labels` and `annotations`.
pub(crate) fn judge_keys(metadata: &Field<'_>, findings: &mut Findings) {
    let labels = metadata.at("labels");
    for key in labels.map(findings).into_iter().flat_map(|labels| labels.keys()) {
        judge_label(&labels.key(key), key, findings);
        if findings.is_full() {
            return;
        }
    }
    let annotations = metadata.at("annotations");
    for key in annotations.map(findings).into_iter().flat_map(|annotations| annotations.keys()) {
        let annotation = annotations.key(key);
        // The API server takes annotation keys in any case.
        if let Err(reason) = syntax::qualified_name(&key.to_lowercase()) {
            findings.invalid(rules::ANNOTATION, &annotation, format!("{key:?} {reason}"));
        }
        annotation.text(findings);
        if findings.is_full() {
            return;
        }
    }
}

/// One label; used for selectors too.
pub(crate) fn judge_label(label: &Field<'_>, key: &str, findings: &mut Findings) {
    if let Err(reason) = syntax::qualified_name(key) {
        findings.invalid(rules::LABEL, label, format!("{key:?} {reason}"));
    }
    if let Some(value) = label.text(findings)
        && let Err(reason) = syntax::label_value(value)
    {
        findings.invalid(rules::LABEL, label, format!("{value:?} {reason}"));
    }
}
