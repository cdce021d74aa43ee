//! Mistakes in what a VM is beside disks and network.

use serde_json::Value;

use super::{Mistakes, text};
use crate::rule_list;

pub(super) fn validate(spec: &Value, mistakes: &mut Mistakes) {
    profile(spec, mistakes);
    reservation(spec, mistakes);
    market(spec, mistakes);
    let is_set = |pointer: &str| spec.pointer(pointer).is_some_and(|value| !value.is_null());
    for (here, other) in [("coreCount", "threadsPerCore"), ("threadsPerCore", "coreCount")] {
        if is_set(&format!("/cpuOptions/{here}")) && !is_set(&format!("/cpuOptions/{other}")) {
            let detail = format!("must be there beside {here}");
            mistakes.required(rule_list::CPU_OPTIONS, &format!("cpuOptions.{other}"), detail);
        }
    }
    if text(spec, "/placement/hostId").is_some() && text(spec, "/placement/tenancy") != Some("host") {
        mistakes.invalid(rule_list::PLACEMENT_HOST, "placement.hostId", "needs tenancy: host");
    }
}

fn profile(spec: &Value, mistakes: &mut Mistakes) {
    if !spec.get("iam").is_some_and(Value::is_object) {
        return;
    }
    match (text(spec, "/iam/name"), text(spec, "/iam/arn")) {
        (None, None) => mistakes.required(
            rule_list::INSTANCE_PROFILE,
            "iam",
            "must have name or arn of the instance profile",
        ),
        (Some(_), Some(_)) => {
            mistakes.invalid(rule_list::INSTANCE_PROFILE, "iam", "must have name or arn, not both")
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
}

fn reservation(spec: &Value, mistakes: &mut Mistakes) {
    let at = |key: &str| text(spec, &format!("/capacityReservation/{key}"));
    let id = at("capacityReservationId");
    let group = at("capacityReservationResourceGroupArn");
    let preference = at("capacityReservationPreference");
    let rule = rule_list::CAPACITY_RESERVATION;
    if id.is_some() && group.is_some() {
        let detail = "must have capacityReservationId or capacityReservationResourceGroupArn, not both";
        mistakes.invalid(rule, "capacityReservation", detail);
    }
    if preference.is_some() && (id.is_some() || group.is_some()) {
        let path = "capacityReservation.capacityReservationPreference";
        mistakes.invalid(rule, path, "must be left out beside a reservation or a group of them");
    }
}

fn market(spec: &Value, mistakes: &mut Mistakes) {
    let Some(price) = spec.get("spotPrice").and_then(Value::as_str) else { return };
    if !price.is_empty() && !price.parse::<f64>().is_ok_and(|price| price.is_finite() && price > 0.0) {
        mistakes.invalid(
            rule_list::SPOT_PRICE,
            "spotPrice",
            "must be empty or a positive number of US dollars, such as 0.05",
        );
    }
    if text(spec, "/instanceMarketOptions/marketType").is_some_and(|market| market != "spot") {
        let detail = "can only be spot beside spotPrice";
        mistakes.invalid(rule_list::MARKET, "instanceMarketOptions.marketType", detail);
    }
}
