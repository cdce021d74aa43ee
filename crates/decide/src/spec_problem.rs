//! What makes the spec of a set or deployment unusable: it can not be meant, and acting on it would create
//! machines without end or delete what nobody wanted gone.
//!
//! Admission refuses all of this; an object that is older than admission must still do no harm.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use millwright_api::{MachineTemplate, matches_selector, selector_to_query};

/// What is wrong, with the field and the remedy, for people.
pub(crate) fn spec_problem(
    replicas: i32,
    selector: Option<&LabelSelector>,
    template: &MachineTemplate,
) -> Option<String> {
    if replicas < 0 {
        return Some(format!(
            "spec.replicas is {replicas}. Set it to 0 or more; until then nothing is scaled."
        ));
    }
    let Some(selector) = selector else {
        return Some(
            "spec.selector is missing. Set matchLabels to labels of spec.template.metadata; until then no machine is touched."
                .to_owned(),
        );
    };
    if selects_everything(selector) {
        return Some(
            "spec.selector is empty and would take every machine. Set matchLabels to labels of spec.template.metadata; \
             until then no machine is touched."
                .to_owned(),
        );
    }
    match matches_selector(selector, template.metadata.labels.as_ref()) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "spec.selector ({}) does not match spec.template.metadata.labels, so new machines would not count. \
             Correct one of them; until then no machine is touched.",
            selector_to_query(selector)
        )),
        Err(error) => Some(format!("spec.{error}. Correct it; until then no machine is touched.")),
    }
}

/// A selector without a single term.
pub(crate) fn selects_everything(selector: &LabelSelector) -> bool {
    selector.match_labels.as_ref().is_none_or(|labels| labels.is_empty())
        && selector.match_expressions.as_ref().is_none_or(|expressions| expressions.is_empty())
}
