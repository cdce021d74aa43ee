//! Changes of an object, however they were asked for: what each endpoint may write, optimistic locks, generations, finalizers.

use serde_json::{Value, json};

use super::{Answer, Caller, Store, Target, create, tidy::tidy};
use crate::kind::{GenerationRule, Grace, ResourceKind, StatusRule};
use crate::{object, refusal::Refusal};

/// Which endpoint of an object is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Main,
    Status,
}

impl Endpoint {
    pub(super) fn subresource(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::Status => "status",
        }
    }
}

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

impl Store {
    /// A PUT.
    pub(crate) fn replace(
        &mut self,
        by: &Caller,
        at: &Target,
        endpoint: Endpoint,
        mut body: Value,
    ) -> Result<Answer, Refusal> {
        create::check_type(at.kind, &body)?;
        tidy(at.kind, &mut body);
        create::check_namespace(at, &body)?;
        check_name(at, &body)?;
        let Some(existing) = self.get(at) else {
            if at.kind.put.may_create() && endpoint == Endpoint::Main {
                return self.put_new(by, at, body);
            }
            return Err(at.not_found());
        };
        let uid = object::meta(&body, "uid");
        if !uid.is_empty() && uid != object::meta(&existing, "uid") {
            let why = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                object::meta(&existing, "uid")
            );
            return Err(Refusal::conflict(at.kind, &at.name, &why));
        }
        match object::checked_revision(&body)? {
            0 if at.kind.put.may_be_blind() => object::set_revision(&mut body, object::revision(&existing)),
            0 => {
                let why = "Invalid value: 0: must be specified for an update";
                let mut refusal =
                    Refusal::invalid(at.kind, &at.name, "metadata.resourceVersion", "FieldValueInvalid", why);
                refusal.details["kind"] = json!(at.kind.plural);
                return Err(refusal);
            }
            _ => {}
        }
        self.change(by, at, endpoint, &existing, body).map(Answer::ok)
    }

    /// Like an etcd that finds nothing: a lock on a version of nothing is broken.
    fn put_new(&mut self, by: &Caller, at: &Target, body: Value) -> Result<Answer, Refusal> {
        if !object::meta(&body, "uid").is_empty() {
            let why =
                format!("uid mismatch: the provided object specified uid {}", object::meta(&body, "uid"));
            return Err(Refusal::conflict(at.kind, &at.name, &why));
        }
        let mut body = body;
        object::put(&mut body, "resourceVersion", None);
        object::put(&mut body, "name", Some(json!(at.name)));
        self.create(by, at.clone(), body)
    }

    /// Makes an object what was asked for, as far as the endpoint may write it. `wanted` is whole and holds a version.
    pub(super) fn change(
        &mut self,
        by: &Caller,
        at: &Target,
        endpoint: Endpoint,
        existing: &Value,
        mut wanted: Value,
    ) -> Result<Value, Refusal> {
        if object::checked_revision(&wanted)? != object::revision(existing) {
            return Err(Refusal::conflict(at.kind, &at.name, MODIFIED));
        }
        object::put(&mut wanted, "generation", meta_value(existing, "generation"));
        isolate(at.kind, endpoint, existing, &mut wanted);
        if endpoint == Endpoint::Main {
            count_generation(at.kind, existing, &mut wanted);
        }
        keep_system_fields(existing, &mut wanted);
        validate(at, existing, &wanted)?;
        Ok(self.settle(by, at, endpoint.subresource(), existing, wanted))
    }

    /// Writes a change, or a deletion that waited for nothing but this; equal state is no write.
    pub(super) fn settle(
        &mut self,
        by: &Caller,
        at: &Target,
        subresource: &'static str,
        existing: &Value,
        wanted: Value,
    ) -> Value {
        if is_finished(existing, &wanted) {
            self.commit(by, at, subresource, None);
            return wanted;
        }
        if wanted == *existing {
            return wanted;
        }
        let made = self.commit(by, at, subresource, Some(wanted));
        made.map_or(Value::Null, |made| Value::clone(&made))
    }
}

fn meta_value(object: &Value, field: &str) -> Option<Value> {
    object["metadata"].get(field).cloned()
}

fn top_value(object: &Value, field: &str) -> Option<Value> {
    object.get(field).cloned()
}

/// Takes back what the endpoint may not write.
fn isolate(kind: &ResourceKind, endpoint: Endpoint, existing: &Value, wanted: &mut Value) {
    match (endpoint, kind.status) {
        (Endpoint::Main, StatusRule::None) => {}
        (Endpoint::Main, _) => set_top(wanted, "status", top_value(existing, "status")),
        (Endpoint::Status, StatusRule::WithMetadata { .. }) => {
            set_top(wanted, "spec", top_value(existing, "spec"));
            if kind.grace == Grace::Pod {
                object::put(wanted, "ownerReferences", meta_value(existing, "ownerReferences"));
                object::put(wanted, "deletionTimestamp", None);
            }
        }
        (Endpoint::Status, StatusRule::Alone { .. } | StatusRule::None) => {
            let status = top_value(wanted, "status");
            *wanted = existing.clone();
            set_top(wanted, "status", status);
        }
    }
}

pub(super) fn set_top(object: &mut Value, field: &str, value: Option<Value>) {
    if let Some(fields) = object.as_object_mut() {
        object::put_top(fields, field, value);
    }
}

pub(super) fn count_generation(kind: &ResourceKind, existing: &Value, wanted: &mut Value) {
    let changed = match kind.generation {
        GenerationRule::Absent => false,
        GenerationRule::Spec => existing.get("spec") != wanted.get("spec"),
        GenerationRule::AllButMetadata => without_metadata(existing) != without_metadata(wanted),
    };
    if changed {
        object::put(wanted, "generation", Some(json!(object::generation(existing) + 1)));
    }
}

fn without_metadata(object: &Value) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> =
        object.as_object().into_iter().flatten().filter(|(field, _)| *field != "metadata").collect();
    fields.sort_by_key(|(field, _)| *field);
    fields
}

pub(super) fn keep_system_fields(existing: &Value, wanted: &mut Value) {
    if object::meta(wanted, "uid").is_empty() {
        object::put(wanted, "uid", meta_value(existing, "uid"));
    }
    object::put(wanted, "creationTimestamp", meta_value(existing, "creationTimestamp"));
    if object::is_deleting(existing) {
        object::put(wanted, "deletionTimestamp", meta_value(existing, "deletionTimestamp"));
    }
    if object::grace_seconds(wanted).is_none() {
        object::put(wanted, "deletionGracePeriodSeconds", meta_value(existing, "deletionGracePeriodSeconds"));
    }
    for field in ["name", "namespace"] {
        if object::meta(wanted, field).is_empty() {
            object::put(wanted, field, meta_value(existing, field));
        }
    }
    wanted["kind"] = existing["kind"].clone();
    wanted["apiVersion"] = existing["apiVersion"].clone();
}

fn validate(at: &Target, existing: &Value, wanted: &Value) -> Result<(), Refusal> {
    let invalid = |field: &str, reason: &str, why: &str| {
        let field = format!("metadata.{field}");
        // The metadata of an update is looked at twice, and nobody counts.
        Err(Refusal::invalid(at.kind, &at.name, &field, reason, why).and(reason, why, &field))
    };
    if object::is_deleting(existing) {
        let known = object::finalizers(existing);
        let added: Vec<_> =
            object::finalizers(wanted).into_iter().filter(|name| !known.contains(name)).collect();
        if !added.is_empty() {
            let why = format!(
                "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers {added:?}"
            );
            return invalid("finalizers", "FieldValueForbidden", &why);
        }
    }
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if meta_value(existing, field) != meta_value(wanted, field) {
            let why = format!("Invalid value: {}: field is immutable", wanted["metadata"][field]);
            return invalid(field, "FieldValueInvalid", &why);
        }
    }
    Ok(())
}

/// Whether the last finalizer is gone from an object whose deletion waited for that alone.
fn is_finished(existing: &Value, wanted: &Value) -> bool {
    object::finalizers(wanted).is_empty()
        && object::is_deleting(existing)
        && object::grace_seconds(existing).unwrap_or_default() == 0
}

pub(super) fn check_name(at: &Target, body: &Value) -> Result<(), Refusal> {
    let given = object::meta(body, "name");
    if given.is_empty() || given == at.name {
        return Ok(());
    }
    let why = format!("the name of the object ({given}) does not match the name on the URL ({})", at.name);
    Err(Refusal::bad_request(why))
}
