//! Lists, page by page.

use serde_json::{Value, json};

use super::super::Refusal;
use super::super::filter::Filter;
use super::super::project::Project;
use super::Asked;

pub(super) fn instances(asked: &Asked<'_>, project: &Project) -> Result<Value, Refusal> {
    let here = project.vms.iter().filter(|((zone, _), _)| zone == asked.at("zone"));
    page("instances", "compute#instanceList", here.map(|(_, vm)| vm), asked, project)
}

pub(super) fn disks(asked: &Asked<'_>, project: &Project) -> Result<Value, Refusal> {
    let here = project.disks.iter().filter(|((zone, _), _)| zone == asked.at("zone"));
    page("disks", "compute#diskList", here.map(|(_, disk)| disk), asked, project)
}

pub(super) fn operations(asked: &Asked<'_>, project: &Project) -> Result<Value, Refusal> {
    let here = project.operations.values().filter(|operation| operation.key.0 == asked.at("zone"));
    page("operations", "compute#operationList", here.map(|operation| &operation.document), asked, project)
}

fn page<'a>(
    collection: &str,
    kind: &str,
    all: impl Iterator<Item = &'a Value>,
    asked: &Asked<'_>,
    project: &Project,
) -> Result<Value, Refusal> {
    let bad =
        |field: &str, value: &str| Refusal::invalid(format!("Invalid value for field '{field}': '{value}'."));
    let filter = match asked.parameter("filter") {
        Some(text) => Some(Filter::read(text).ok_or_else(|| bad("filter", text))?),
        None => None,
    };
    let most = match asked.parameter("maxResults") {
        Some(text) => text
            .parse()
            .ok()
            .filter(|most| (0..=500).contains(most))
            .ok_or_else(|| bad("maxResults", text))?,
        None => 500,
    };
    let from = match asked.parameter("pageToken") {
        Some(text) => text
            .strip_prefix("after-")
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| bad("pageToken", text))?,
        None => 0,
    };
    let found: Vec<&Value> =
        all.filter(|entry| filter.as_ref().is_none_or(|filter| filter.fits(entry))).collect();
    let most = project.page.min(most);
    let mut page = json!({
        "kind": kind,
        "id": format!("projects/{}/zones/{}/{collection}", project.id, asked.at("zone")),
        "selfLink": project.whole(&format!("zones/{}/{collection}", asked.at("zone"))),
    });
    let items: Vec<&Value> = found.iter().copied().skip(from).take(most).collect();
    // An empty list has no member `items`.
    if !items.is_empty() {
        page["items"] = items.into_iter().cloned().collect();
    }
    if found.len() > from + most {
        page["nextPageToken"] = format!("after-{}", from + most).into();
    }
    Ok(page)
}
