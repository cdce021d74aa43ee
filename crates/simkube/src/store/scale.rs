//! The scale of an object: its replicas under the same name in every kind.

use serde_json::{Value, json};

use super::{Answer, Caller, Endpoint, PatchBody, Store, Target};
use crate::{object, refusal::Refusal};

impl Store {
    /// A GET of the scale.
    pub(crate) fn scale(&self, at: &Target) -> Result<Value, Refusal> {
        Ok(scale_of(&*self.existing(at)?))
    }

    /// A PUT of the scale.
    pub(crate) fn replace_scale(
        &mut self,
        by: &Caller,
        at: &Target,
        scale: &Value,
    ) -> Result<Answer, Refusal> {
        let existing = self.existing(at)?;
        let mut wanted = Value::clone(&existing);
        let replicas = scale["spec"]["replicas"].as_i64().unwrap_or_default();
        if replicas < 0 {
            let why = format!("Invalid value: {replicas}: should be a non-negative integer");
            let refusal = Refusal::invalid(at.kind, &at.name, "spec.replicas", "FieldValueInvalid", &why);
            return Err(refusal.and("FieldValueInvalid", &why, ".spec.replicas"));
        }
        object::member(&mut wanted, "spec").insert("replicas".to_owned(), json!(replicas));
        let version = object::revision(scale);
        if version != 0 {
            object::set_revision(&mut wanted, version);
        }
        let made = self.change(by, at, Endpoint::Main, &existing, wanted)?;
        Ok(Answer::ok(scale_of(&made)))
    }

    /// A PATCH of the scale.
    pub(crate) fn patch_scale(
        &mut self,
        by: &Caller,
        at: &Target,
        patch: &PatchBody,
    ) -> Result<Answer, Refusal> {
        let mut scale = self.scale(at)?;
        patch.apply(&mut scale)?;
        self.replace_scale(by, at, &scale)
    }
}

fn scale_of(object: &Value) -> Value {
    let mut metadata = json!({});
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object["metadata"].get(field) {
            metadata[field] = value.clone();
        }
    }
    let mut scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {},
        "status": { "replicas": object["status"]["replicas"].as_i64().unwrap_or_default() },
    });
    if let Some(replicas) = object["spec"]["replicas"].as_i64().filter(|replicas| *replicas != 0) {
        scale["spec"]["replicas"] = json!(replicas);
    }
    if let Some(selector) = object["status"]["selector"].as_str().filter(|selector| !selector.is_empty()) {
        scale["status"]["selector"] = json!(selector);
    }
    scale
}
