//! New objects.

use serde_json::{Value, json};

use super::{Answer, Caller, Store, Target, names, tidy::tidy};
use crate::kind::{AtCreation, GenerationRule, ResourceKind, StatusRule};
use crate::{object, refusal::Refusal};

/// How often a name that is taken is made anew.
const TRIES: usize = 8;

impl Store {
    /// Makes an object. The target's name is empty at a POST, and the object's own counts.
    pub(crate) fn create(&mut self, by: &Caller, mut at: Target, mut body: Value) -> Result<Answer, Refusal> {
        check_type(at.kind, &body)?;
        tidy(at.kind, &mut body);
        check_namespace(&at, &body)?;
        if object::checked_revision(&body)? != 0 {
            let why = "resourceVersion should not be set on objects to be created";
            return Err(Refusal::new(500, "", why));
        }
        let (given, base) =
            (object::meta(&body, "name").to_owned(), object::meta(&body, "generateName").to_owned());
        at.name = if given.is_empty() && !base.is_empty() { self.free_name(&at, &base) } else { given };
        check_name(&at)?;
        if let Some(existing) = self.get(&at) {
            let mut refusal = Refusal::already_exists(at.kind, &at.name);
            if object::is_deleting(&existing) {
                refusal.message.insert_str(0, "object is being deleted: ");
            }
            return Err(refusal);
        }
        self.stamp(by, &at, &mut body);
        prepare(at.kind, &mut body);
        let made = self.commit(by, &at, "", Some(body));
        Ok(Answer { code: 201, body: made.map_or(Value::Null, |made| Value::clone(&made)) })
    }

    fn free_name(&mut self, at: &Target, base: &str) -> String {
        let mut target = at.clone();
        for _ in 0..TRIES {
            target.name = self.next_name(base);
            if self.get(&target).is_none() {
                break;
            }
        }
        target.name
    }

    /// What the server alone says about an object.
    pub(super) fn stamp(&mut self, by: &Caller, at: &Target, body: &mut Value) {
        let uid = self.next_uid();
        body["kind"] = json!(at.kind.kind);
        body["apiVersion"] = json!(at.kind.api_version());
        object::put(body, "name", Some(json!(at.name)));
        object::put(body, "namespace", at.kind.is_namespaced().then(|| json!(at.namespace)));
        object::put(body, "uid", Some(json!(uid)));
        object::put(body, "creationTimestamp", Some(object::wire_time(by.now)));
        object::put(body, "deletionTimestamp", None);
        object::put(body, "deletionGracePeriodSeconds", None);
        let generation = (at.kind.generation != GenerationRule::Absent).then(|| json!(1));
        object::put(body, "generation", generation);
    }
}

fn prepare(kind: &ResourceKind, body: &mut Value) {
    let (StatusRule::WithMetadata { at_creation } | StatusRule::Alone { at_creation }) = kind.status else {
        return;
    };
    let Some(fields) = body.as_object_mut() else { return };
    match at_creation {
        AtCreation::Kept => {}
        AtCreation::Dropped => object::put_top(fields, "status", None),
        AtCreation::Fixed(text) => object::put_top(fields, "status", serde_json::from_str(text).ok()),
    }
}

/// An object of another kind than the path's is refused; one that tells none is taken for the path's.
pub(super) fn check_type(kind: &ResourceKind, body: &Value) -> Result<(), Refusal> {
    if !body.is_object() {
        return Err(Refusal::bad_request(format!("the request body is no {} object", kind.kind)));
    }
    let (version, name) = (body["apiVersion"].as_str(), body["kind"].as_str());
    let expected = kind.api_version();
    match (version, name) {
        (None | Some(""), None | Some("")) if !kind.is_custom() => Ok(()),
        (Some(version), Some(name)) if version == expected && name == kind.kind => Ok(()),
        (version, name) => Err(Refusal::bad_request(format!(
            "the object's type {:?} {:?} does not match the path's {expected:?} {:?}",
            version.unwrap_or_default(),
            name.unwrap_or_default(),
            kind.kind,
        ))),
    }
}

pub(super) fn check_namespace(at: &Target, body: &Value) -> Result<(), Refusal> {
    let given = object::meta(body, "namespace");
    if given.is_empty() || given == at.namespace {
        return Ok(());
    }
    Err(Refusal::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request",
    ))
}

fn check_name(at: &Target) -> Result<(), Refusal> {
    if at.name.is_empty() {
        let why = "Required value: name or generateName is required";
        let refusal = Refusal::invalid(at.kind, "", "metadata.name", "FieldValueRequired", why);
        return Err(if at.kind.is_custom() {
            refusal.and("FieldValueInvalid", why, "<nil>")
        } else {
            refusal
        });
    }
    if !names::is_valid(&at.name) {
        let why = format!("Invalid value: {:?}: a lowercase RFC 1123 subdomain is required", at.name);
        return Err(Refusal::invalid(at.kind, &at.name, "metadata.name", "FieldValueInvalid", &why));
    }
    Ok(())
}
