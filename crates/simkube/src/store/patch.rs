//! Changes that are told as differences.

use json_patch::{Patch, PatchErrorKind};
use serde_json::{Value, json};

use super::{Answer, Caller, Endpoint, Store, Target, create, strategic, tidy::tidy, update};
use crate::refusal::Refusal;

/// A patch in one of the forms that are understood; server-side apply is not one of them.
#[derive(Debug)]
pub(crate) enum PatchBody {
    Merge(Value),
    Json(Patch),
    Strategic(Value),
}

impl PatchBody {
    /// Reads a body by its content type.
    pub(crate) fn read(content_type: &str, body: &[u8]) -> Result<Self, Refusal> {
        let malformed =
            |error: serde_json::Error| Refusal::bad_request(format!("error decoding patch: {error}"));
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/merge-patch+json" => Ok(Self::Merge(read_object(body)?)),
            "application/strategic-merge-patch+json" => Ok(Self::Strategic(read_object(body)?)),
            "application/json-patch+json" => {
                let operations: Vec<Value> = serde_json::from_slice(body).map_err(malformed)?;
                let patch = serde_json::from_value(Value::from(operations));
                Ok(Self::Json(patch.map_err(|error| unprocessable(error.to_string()))?))
            }
            other => {
                let message = format!(
                    "the body of the request was in an unknown format ({other}) - simkube accepts merge, strategic merge and JSON patches"
                );
                Err(Refusal::new(415, "UnsupportedMediaType", message))
            }
        }
    }

    pub(super) fn apply(&self, target: &mut Value) -> Result<(), Refusal> {
        match self {
            Self::Merge(patch) => json_patch::merge(target, patch),
            Self::Strategic(patch) => strategic::merge(target, patch),
            Self::Json(patch) => json_patch::patch(target, patch).map_err(|error| {
                let why = match error.kind {
                    PatchErrorKind::TestFailed => "testing value failed".to_owned(),
                    _ => error.to_string(),
                };
                unprocessable(format!("{why} ({})", error.path))
            })?,
        }
        Ok(())
    }
}

fn unprocessable(why: String) -> Refusal {
    let mut refusal = Refusal::new(422, "Invalid", why);
    *refusal.details = json!({});
    refusal
}

fn read_object(body: &[u8]) -> Result<Value, Refusal> {
    let patch: Value = serde_json::from_slice(body)
        .map_err(|error| Refusal::bad_request(format!("error decoding patch: {error}")))?;
    if patch.is_object() {
        Ok(patch)
    } else {
        Err(Refusal::bad_request("error decoding patch: it is no object"))
    }
}

impl Store {
    /// A PATCH.
    pub(crate) fn patch(
        &mut self,
        by: &Caller,
        at: &Target,
        endpoint: Endpoint,
        patch: &PatchBody,
    ) -> Result<Answer, Refusal> {
        if at.kind.is_custom() && matches!(patch, PatchBody::Strategic(_)) {
            let message = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json";
            return Err(Refusal::new(415, "UnsupportedMediaType", message));
        }
        let existing = self.existing(at)?;
        let mut wanted = Value::clone(&existing);
        patch.apply(&mut wanted)?;
        create::check_type(at.kind, &wanted)?;
        tidy(at.kind, &mut wanted);
        create::check_namespace(at, &wanted)?;
        update::check_name(at, &wanted)?;
        if crate::object::checked_revision(&wanted)? == 0 {
            crate::object::set_revision(&mut wanted, crate::object::revision(&existing));
        }
        self.change(by, at, endpoint, &existing, wanted).map(Answer::ok)
    }
}
