//! Events of one reason, as kubectl shows them.

use super::{error::DemoError, stage::Stage};
use crate::kubectl;

/// The messages of all events with that reason that speak of `subject`.
pub(super) async fn find(stage: &Stage, reason: &str, subject: &str) -> Result<Vec<String>, DemoError> {
    let events = kubectl::json(&stage.testbed, &arguments(&selector(reason), &["-o", "json"])).await?;
    let messages = events["items"].as_array().into_iter().flatten();
    let messages =
        messages.filter_map(|event| event["message"].as_str()).filter(|text| text.contains(subject));
    Ok(messages.map(str::to_owned).collect())
}

/// Shows all events with that reason.
pub(super) async fn show(stage: &Stage, reason: &str) -> Result<(), DemoError> {
    stage.show(&arguments(&selector(reason), &[])).await
}

fn selector(reason: &str) -> String {
    format!("--field-selector=reason={reason}")
}

fn arguments<'a>(selector: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["get", "events", selector], more].concat()
}
