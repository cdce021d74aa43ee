//! How a deployment replaces its machines.

use millwright_api::{IntOrPercent, Rounding};
use serde::Deserialize as _;

use crate::field::Field;
use crate::findings::Findings;
use crate::shown::shown;
use crate::{known_fields, rules, word};

const TYPES: [&str; 3] = ["RollingUpdate", "Recreate", "InPlaceUpdate"];
const ORCHESTRATIONS: [&str; 2] = ["Auto", "Manual"];

/// The type must be known and its parameters complete.
pub(crate) fn judge(strategy: &Field<'_>, findings: &mut Findings) {
    if strategy.value().is_some() && strategy.map(findings).is_none() {
        return;
    }
    known_fields::judge(strategy, &known_fields::STRATEGY, findings);
    let (rolling, in_place) = (strategy.at("rollingUpdate"), strategy.at("inPlaceUpdate"));
    match word::choice(rules::STRATEGY_TYPE, &strategy.at("type"), &TYPES, findings) {
        Some("RollingUpdate") => {
            known_fields::judge(&rolling, &known_fields::ROLLING_UPDATE, findings);
            judge_limits(&rolling, findings);
            judge_leftover(&in_place, "RollingUpdate", findings);
        }
        Some("InPlaceUpdate") => {
            known_fields::judge(&in_place, &known_fields::IN_PLACE_UPDATE, findings);
            judge_limits(&in_place, findings);
            word::choice(rules::STRATEGY_TYPE, &in_place.at("orchestrationType"), &ORCHESTRATIONS, findings);
            judge_leftover(&rolling, "InPlaceUpdate", findings);
        }
        Some(other) => {
            judge_leftover(&rolling, other, findings);
            judge_leftover(&in_place, other, findings);
        }
        None => {
            judge_unused(&rolling, findings);
            judge_unused(&in_place, findings);
        }
    }
}

/// Parameters that the type does not use.
fn judge_leftover(parameters: &Field<'_>, type_: &str, findings: &mut Findings) {
    judge_unused(parameters, findings);
    if parameters.value().is_some_and(|value| value.as_object().is_some_and(|fields| !fields.is_empty())) {
        let text =
            format!("has no effect with type {type_}; remove it, or write the type that it belongs to");
        findings.warn(rules::STRATEGY_LEFTOVER, parameters, text);
    }
}

/// Parameters of another type, or of an unknown one. The API server's own rules judge those that are there, so they are told here, with
/// the rest.
fn judge_unused(parameters: &Field<'_>, findings: &mut Findings) {
    if parameters.value().is_none() || parameters.map(findings).is_none() {
        return;
    }
    for (name, rounding) in [("maxSurge", Rounding::Up), ("maxUnavailable", Rounding::Down)] {
        let limit = parameters.at(name);
        if limit.value().is_some() {
            judge_limit(&limit, rounding, findings);
        }
    }
}

fn judge_limits(parameters: &Field<'_>, findings: &mut Findings) {
    if parameters.value().is_some() && parameters.map(findings).is_none() {
        return;
    }
    let (surge, unavailable) = (parameters.at("maxSurge"), parameters.at("maxUnavailable"));
    let none_above = judge_limit(&surge, Rounding::Up, findings);
    let none_missing = judge_limit(&unavailable, Rounding::Down, findings);
    if none_above == Some(0) && none_missing == Some(0) {
        findings.warn(
            rules::STRATEGY_CAN_BEGIN,
            &unavailable,
            "counts as 1 because maxSurge is 0 too; otherwise no rollout could begin",
        );
    }
}

/// What the limit comes to with a hundred machines, if it is one.
fn judge_limit(field: &Field<'_>, rounding: Rounding, findings: &mut Findings) -> Option<i32> {
    let Some(value) = field.value() else {
        findings.required(
            rules::STRATEGY_LIMIT,
            field,
            "must be set to a count such as 1 or a percentage such as \"25%\"",
        );
        return None;
    };
    let digits = |text: &str| {
        text.strip_suffix('%').is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let resolved = match value.as_str() {
        Some(text) if !digits(text) => None,
        _ => IntOrPercent::deserialize(value).ok().and_then(|limit| limit.resolve(100, rounding).ok()),
    };
    match resolved {
        None => findings.invalid(
            rules::STRATEGY_LIMIT,
            field,
            format!("{} is neither a count, 0 or more, nor a percentage such as \"25%\"", shown(value)),
        ),
        // Of a hundred machines, a percentage is its own number.
        Some(share) if share > 100 && value.is_string() && rounding == Rounding::Down => findings.invalid(
            rules::STRATEGY_SHARE,
            field,
            format!("{} is more than all machines; write at most \"100%\"", shown(value)),
        ),
        Some(_) => {}
    }
    resolved
}
