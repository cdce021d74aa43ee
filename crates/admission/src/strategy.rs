//! How a deployment replaces its machines.

use millwright_api::{IntOrPercent, Rounding};
use serde::Deserialize as _;

use crate::field::Field;
use crate::findings::Findings;
use crate::shown::shown;
use crate::{rules, word};

const TYPES: [&str; 3] = ["RollingUpdate", "Recreate", "InPlaceUpdate"];
const ORCHESTRATIONS: [&str; 2] = ["Auto", "Manual"];

/// The type must be known and its parameters complete.
pub(crate) fn judge(strategy: &Field<'_>, findings: &mut Findings) {
    if strategy.value().is_some() && strategy.map(findings).is_none() {
        return;
    }
    let (rolling, in_place) = (strategy.at("rollingUpdate"), strategy.at("inPlaceUpdate"));
    match word::choice(rules::STRATEGY_TYPE, &strategy.at("type"), &TYPES, findings) {
        Some("RollingUpdate") => {
            judge_limits(&rolling, findings);
            judge_unused(&in_place, findings);
        }
        Some("InPlaceUpdate") => {
            judge_limits(&in_place, findings);
            word::choice(rules::STRATEGY_TYPE, &in_place.at("orchestrationType"), &ORCHESTRATIONS, findings);
            judge_unused(&rolling, findings);
        }
        _ => {
            judge_unused(&rolling, findings);
            judge_unused(&in_place, findings);
        }
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
    let resolved = IntOrPercent::deserialize(value).ok().and_then(|limit| limit.resolve(100, rounding).ok());
    if resolved.is_none() {
        findings.invalid(
            rules::STRATEGY_LIMIT,
            field,
            format!("{} is neither a count, 0 or more, nor a percentage such as \"25%\"", shown(value)),
        );
    }
    resolved
}
