//! Defaults of a MachineDeployment: a strategy, because one without it is refused.

use std::borrow::Cow;

use millwright_api::{IntOrPercent, Rounding};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

pub(super) fn with_defaults(deployment: &Value) -> Cow<'_, Value> {
    let Some(strategy) = rolling_update(deployment) else { return Cow::Borrowed(deployment) };
    let mut deployment = deployment.clone();
    if let Some(spec) = deployment.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("strategy".to_owned(), strategy);
    }
    Cow::Owned(deployment)
}

/// The completed strategy; `None` when it is complete, another one, or nothing that could be completed.
fn rolling_update(deployment: &Value) -> Option<Value> {
    let spec = deployment.get("spec")?.as_object()?;
    let before = present(spec, "strategy");
    let mut strategy = as_map(before)?;
    match present(&strategy, "type") {
        None if present(&strategy, "inPlaceUpdate").is_some() => return None,
        None => drop(strategy.insert("type".to_owned(), json!("RollingUpdate"))),
        Some(type_) if type_ == "RollingUpdate" => {}
        Some(_) => return None,
    }
    let mut limits = as_map(present(&strategy, "rollingUpdate"))?;
    if present(&limits, "maxSurge").is_none() {
        limits.insert("maxSurge".to_owned(), json!(1));
    }
    if present(&limits, "maxUnavailable").is_none() {
        // With nothing above and nothing below the replicas, no rollout could begin.
        let none_above = limits.get("maxSurge").is_some_and(is_zero);
        limits.insert("maxUnavailable".to_owned(), json!(i32::from(none_above)));
    }
    strategy.insert("rollingUpdate".to_owned(), Value::Object(limits));
    let after = Value::Object(strategy);
    (before != Some(&after)).then_some(after)
}

/// Null counts as absent, as it does for Go.
fn present<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    map.get(key).filter(|value| !value.is_null())
}

/// A copy to complete; an empty one when absent, `None` when it is no object.
fn as_map(value: Option<&Value>) -> Option<Map<String, Value>> {
    value.map_or_else(|| Some(Map::new()), |value| value.as_object().cloned())
}

fn is_zero(limit: &Value) -> bool {
    IntOrPercent::deserialize(limit).is_ok_and(|limit| limit.resolve(100, Rounding::Up) == Ok(0))
}
