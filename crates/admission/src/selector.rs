//! Which machines belong to a set or deployment. A safety rule, not style: a selector that misses the
//! template's labels makes machines without end, and an empty one takes machines of others.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use millwright_api::{matches_selector, selector_to_query};
use serde::Deserialize as _;

use crate::field::Field;
use crate::findings::Findings;
use crate::metadata::judge_label;
use crate::{known_fields, rules, syntax, word};

const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];

/// The selector must be there, be well formed, hold something, and match the labels of the template.
pub(crate) fn judge(selector: &Field<'_>, template_labels: &Field<'_>, findings: &mut Findings) {
    let Some(value) = selector.value() else {
        findings.required(
            rules::SELECTOR_REQUIRED,
            selector,
            "must be set: write matchLabels with labels that spec.template.metadata.labels has too",
        );
        return;
    };
    if selector.map(findings).is_none() {
        return;
    }
    known_fields::judge(selector, &known_fields::SELECTOR, findings);
    let before = findings.errors.len();
    judge_labels(&selector.at("matchLabels"), findings);
    judge_expressions(&selector.at("matchExpressions"), findings);
    if findings.errors.len() > before {
        return;
    }
    match LabelSelector::deserialize(value) {
        Ok(typed) if is_empty(&typed) => findings.invalid(
            rules::SELECTOR_SELECTS_SOMETHING,
            selector,
            "must not be empty: it would take every machine of the namespace; write matchLabels with labels that \
             spec.template.metadata.labels has too",
        ),
        Ok(typed) => judge_match(selector, &typed, template_labels, findings),
        Err(reason) => findings.invalid(rules::SELECTOR_SYNTAX, selector, format!("is not a label selector: {reason}")),
    }
}

fn is_empty(selector: &LabelSelector) -> bool {
    selector.match_labels.as_ref().is_none_or(BTreeMap::is_empty)
        && selector.match_expressions.as_ref().is_none_or(Vec::is_empty)
}

fn judge_match(
    field: &Field<'_>,
    selector: &LabelSelector,
    template_labels: &Field<'_>,
    findings: &mut Findings,
) {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let labels: BTreeMap<String, String> = template_labels
        .value()
        .and_then(|labels| labels.as_object())
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), text(value)))
        .collect();
    if matches_selector(selector, Some(&labels)) == Ok(true) {
        return;
    }
    let there: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let there = if there.is_empty() { "none".to_owned() } else { there.join(",") };
    findings.invalid(
        rules::SELECTOR_MATCHES_TEMPLATE,
        field,
        format!(
            "{:?} does not match {}, which are {there}; machines made from the template would not be counted and \
             more would be made without end: write the same labels in both places",
            selector_to_query(selector),
            template_labels.path(),
        ),
    );
}

fn judge_labels(labels: &Field<'_>, findings: &mut Findings) {
    for key in labels.map(findings).into_iter().flat_map(|labels| labels.keys()) {
        judge_label(&labels.key(key), key, findings);
        if findings.is_full() {
            return;
        }
    }
}

fn judge_expressions(expressions: &Field<'_>, findings: &mut Findings) {
    for index in 0..expressions.items(findings) {
        if findings.is_full() {
            return;
        }
        judge_expression(&expressions.item(index), findings);
    }
}

fn judge_expression(expression: &Field<'_>, findings: &mut Findings) {
    if expression.map(findings).is_none() {
        if expression.value().is_none() {
            findings.required(
                rules::SELECTOR_SYNTAX,
                expression,
                "must be a condition with key and operator",
            );
        }
        return;
    }
    known_fields::judge(expression, &known_fields::SELECTOR_EXPRESSION, findings);
    word::required(
        rules::SELECTOR_SYNTAX,
        &expression.at("key"),
        "the key of a label",
        syntax::qualified_name,
        findings,
    );
    let values = expression.at("values");
    let count = values.items(findings);
    for index in 0..count {
        values.item(index).text(findings);
        if findings.is_full() {
            return;
        }
    }
    match word::choice(rules::SELECTOR_SYNTAX, &expression.at("operator"), &OPERATORS, findings) {
        Some("In" | "NotIn") if count == 0 => {
            findings.required(
                rules::SELECTOR_SYNTAX,
                &values,
                "must hold at least one value for In and NotIn",
            );
        }
        Some("Exists" | "DoesNotExist") if count > 0 => {
            findings.invalid(rules::SELECTOR_SYNTAX, &values, "must be empty for Exists and DoesNotExist");
        }
        _ => {}
    }
}
