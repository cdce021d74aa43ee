//! Labels and annotations inside templates, which the API server does not check for us.

use crate::field::Field;
use crate::findings::Findings;
use crate::{rules, syntax};

/// Keys and values of `labels` and keys of `annotations`.
pub(crate) fn judge(metadata: &Field<'_>, findings: &mut Findings) {
    if metadata.map(findings).is_none() {
        return;
    }
    let labels = metadata.at("labels");
    for key in labels.map(findings).into_iter().flat_map(|labels| labels.keys()) {
        judge_label(&labels.key(key), key, findings);
    }
    let annotations = metadata.at("annotations");
    for key in annotations.map(findings).into_iter().flat_map(|annotations| annotations.keys()) {
        let annotation = annotations.key(key);
        // The API server takes annotation keys in any case.
        if let Err(reason) = syntax::qualified_name(&key.to_lowercase()) {
            findings.invalid(rules::ANNOTATION, &annotation, format!("{key:?} {reason}"));
        }
        annotation.text(findings);
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
