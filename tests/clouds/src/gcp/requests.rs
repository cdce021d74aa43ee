//! What each method of the API does.

mod disks;
mod insertion;
mod instances;
mod lists;

use std::collections::BTreeMap;

use serde_json::Value;

pub(super) use self::insertion::made;

use super::Refusal;
use super::project::Project;

/// A request whose form is right.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) path: &'a BTreeMap<String, String>,
    pub(super) query: &'a [(String, String)],
    pub(super) body: Option<&'a Value>,
    /// How the operation is to fail, if it is.
    pub(super) fails: Option<(String, String)>,
}

impl Asked<'_> {
    fn at(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The operation of an earlier request with the same id.
    fn repeated(&self, project: &Project) -> Result<Option<Value>, Refusal> {
        let Some(id) = self.parameter("requestId") else { return Ok(None) };
        let is_uuid = id.len() == 36
            && id.split('-').map(str::len).eq([8, 4, 4, 4, 12])
            && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
            && id.bytes().any(|byte| !b"-0".contains(&byte));
        if !is_uuid {
            return Err(Refusal::invalid(format!(
                "Invalid value for field 'requestId': '{id}'. Must be a UUID."
            )));
        }
        let name = project.request_ids.get(id);
        Ok(name.and_then(|name| project.operations.get(name)).map(|operation| operation.document.clone()))
    }
}

/// The answer of a method.
pub(super) fn answer(method: &str, asked: &Asked<'_>, project: &mut Project) -> Result<Value, Refusal> {
    match method {
        "instances.insert" => insertion::insert(asked, project),
        "instances.get" => instances::get(asked, project),
        "instances.list" => lists::instances(asked, project),
        "instances.delete" => instances::delete(asked, project),
        "instances.setDiskAutoDelete" => instances::set_disk_auto_delete(asked, project),
        "instances.setLabels" => instances::set_labels(asked, project),
        "disks.get" => disks::get(asked, project),
        "disks.list" => lists::disks(asked, project),
        "disks.delete" => disks::delete(asked, project),
        "zoneOperations.get" | "zoneOperations.wait" => operation(asked, project),
        "zoneOperations.list" => lists::operations(asked, project),
        other => Err(Refusal::new(501, "notImplemented", format!("The stand-in has no method {other}."))),
    }
}

fn operation(asked: &Asked<'_>, project: &Project) -> Result<Value, Refusal> {
    let (zone, name) = (asked.at("zone"), asked.at("operation"));
    let found = project.operations.get(name).filter(|operation| operation.key.0 == zone);
    let found = found.map(|operation| operation.document.clone());
    found.ok_or_else(|| Refusal::not_found(&project.path(zone, "operations", name)))
}
