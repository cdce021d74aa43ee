//! Deletions: preconditions, grace periods of pods, finalizers.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Answer, Caller, ListQuery, Past, Store, Target};
use crate::kind::{DeletedAnswer, Grace, ResourceKind};
use crate::{object, refusal::Refusal, selector::Selector};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// What a client says about a deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_seconds: Option<i64>,
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
    pub(crate) propagation: Option<Propagation>,
}

/// What is to become of dependents. Nobody here collects them, but the finalizers are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Orphan,
    Foreground,
    Background,
}

impl DeleteOptions {
    /// Reads the body of a deletion or the `deleteOptions` of an eviction.
    pub(crate) fn read(body: &Value) -> Result<Self, Refusal> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let propagation = match body["propagationPolicy"].as_str() {
            None => None,
            Some("Orphan") => Some(Propagation::Orphan),
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Background") => Some(Propagation::Background),
            Some(other) => {
                let mut refusal = Refusal::new(
                    422,
                    "Invalid",
                    format!(
                        "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: {other:?} is not supported"
                    ),
                );
                *refusal.details = json!({ "group": "meta.k8s.io", "kind": "DeleteOptions", "causes": [
                    { "reason": "FieldValueNotSupported", "message": "Unsupported value", "field": "propagationPolicy" },
                ]});
                return Err(refusal);
            }
        };
        Ok(Self {
            grace_seconds: body["gracePeriodSeconds"]
                .as_i64()
                .map(|seconds| if seconds < 0 { 1 } else { seconds }),
            uid: text(&body["preconditions"]["uid"]),
            resource_version: text(&body["preconditions"]["resourceVersion"]),
            propagation,
        })
    }

    pub(super) fn check(&self, at: &Target, existing: &Value) -> Result<(), Refusal> {
        let fields = [
            ("UID", "uid", &self.uid, "deleted and then recreated"),
            ("ResourceVersion", "resourceVersion", &self.resource_version, "modified"),
        ];
        for (title, field, wanted, what) in fields {
            let found = object::meta(existing, field);
            if let Some(wanted) = wanted
                && wanted != found
            {
                let why = format!(
                    "the {title} in the precondition ({wanted}) does not match the {title} in record ({found}). The object might have been {what}"
                );
                return Err(Refusal::failed_precondition(at.kind, &at.name, &why));
            }
        }
        Ok(())
    }
}

/// What the grace period of an object makes of a deletion.
enum Graceful {
    /// There is none.
    No,
    /// It runs already, and what is asked for does not shorten it.
    Pending,
    /// It starts, or is shortened.
    Starts { seconds: i64, ends: Timestamp },
}

impl Store {
    /// A DELETE of one object.
    pub(crate) fn delete(
        &mut self,
        by: &Caller,
        at: &Target,
        options: &DeleteOptions,
    ) -> Result<Answer, Refusal> {
        let existing = self.existing(at)?;
        options.check(at, &existing)?;
        let graceful = match at.kind.grace {
            Grace::None => Graceful::No,
            Grace::Pod => grace_of_pod(&existing, options, by.now),
        };
        let mut wanted = Value::clone(&existing);
        set_propagation(&mut wanted, options.propagation);
        let waits_for_others = !object::finalizers(&wanted).is_empty();
        let waits = match graceful {
            Graceful::Pending => return Ok(deleted(at, Value::clone(&existing))),
            Graceful::Starts { seconds, ends } => {
                begin(&mut wanted, &existing, ends, seconds);
                waits_for_others || seconds > 0
            }
            Graceful::No if waits_for_others => {
                mark_as_deleting(&mut wanted, &existing, by.now);
                true
            }
            Graceful::No => {
                return Ok(self.remove(by, at, &existing));
            }
        };
        let changed =
            if wanted == *existing { Some(existing) } else { self.commit(by, at, "", Some(wanted)) };
        let object = changed.map_or(Value::Null, |object| Value::clone(&object));
        if waits { Ok(Answer::ok(object)) } else { Ok(self.remove(by, at, &object)) }
    }

    /// A DELETE of a collection: of each object for itself, as it was at the beginning.
    pub(crate) fn delete_all(
        &mut self,
        by: &Caller,
        kind: &'static ResourceKind,
        selector: &Selector,
        options: &DeleteOptions,
    ) -> Result<Answer, Refusal> {
        let list = self.list(kind, selector, &ListQuery::default(), Past::Now)?;
        for item in list["items"].as_array().into_iter().flatten() {
            let text = |field| object::meta(item, field).to_owned();
            self.delete(by, &Target { kind, namespace: text("namespace"), name: text("name") }, options)?;
        }
        Ok(Answer::ok(list))
    }

    /// Takes the object away, whatever it waits for.
    pub(super) fn remove(&mut self, by: &Caller, at: &Target, existing: &Value) -> Answer {
        self.commit(by, at, "", None);
        let mut gone = existing.clone();
        object::set_revision(&mut gone, self.revision);
        deleted(at, gone)
    }
}

/// The answer when nothing is left to wait for.
fn deleted(at: &Target, gone: Value) -> Answer {
    if at.kind.deleted == DeletedAnswer::Object {
        return Answer::ok(gone);
    }
    let mut details = json!({ "name": at.name, "kind": at.kind.plural, "uid": object::meta(&gone, "uid") });
    if !at.kind.group.is_empty() {
        details["group"] = json!(at.kind.group);
    }
    Answer::ok(json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }))
}

fn grace_of_pod(pod: &Value, options: &DeleteOptions, now: Timestamp) -> Graceful {
    if object::is_deleting(pod) {
        let current = object::grace_seconds(pod).unwrap_or_default();
        return match options.grace_seconds {
            _ if current == 0 => Graceful::No,
            Some(asked) if asked < current => {
                let ends: Timestamp = object::meta(pod, "deletionTimestamp").parse().unwrap_or(now);
                let ends = after(ends, asked - current);
                let seconds = if ends < now && asked != 0 { 1 } else { asked };
                Graceful::Starts { seconds, ends: ends.max(now) }
            }
            _ => Graceful::Pending,
        };
    }
    let has_ended = matches!(pod["status"]["phase"].as_str(), Some("Failed" | "Succeeded"));
    let is_placed = pod["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    // A kubelet would be told to let it end; where there is none, nobody would take it away.
    let default = pod["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    let seconds = if has_ended || !is_placed { 0 } else { options.grace_seconds.unwrap_or(default) };
    Graceful::Starts { seconds, ends: after(now, seconds) }
}

fn after(time: Timestamp, seconds: i64) -> Timestamp {
    time.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(time)
}

fn begin(wanted: &mut Value, existing: &Value, ends: Timestamp, seconds: i64) {
    bump_generation(wanted, existing);
    object::put(wanted, "deletionTimestamp", Some(object::wire_time(ends)));
    object::put(wanted, "deletionGracePeriodSeconds", Some(json!(seconds)));
}

fn mark_as_deleting(wanted: &mut Value, existing: &Value, now: Timestamp) {
    bump_generation(wanted, existing);
    let set: Option<Timestamp> = object::meta(existing, "deletionTimestamp").parse().ok();
    if set.is_none_or(|set| set > now) {
        object::put(wanted, "deletionTimestamp", Some(object::wire_time(now)));
    }
    object::put(wanted, "deletionGracePeriodSeconds", Some(json!(0)));
}

/// The beginning of a deletion counts as a change that others have to look at.
fn bump_generation(wanted: &mut Value, existing: &Value) {
    let generation = object::generation(existing);
    if generation > 0 && !object::is_deleting(existing) {
        object::put(wanted, "generation", Some(json!(generation + 1)));
    }
}

fn set_propagation(wanted: &mut Value, propagation: Option<Propagation>) {
    let Some(propagation) = propagation else { return };
    let mut finalizers = object::finalizers(wanted);
    finalizers.retain(|name| name != ORPHAN && name != FOREGROUND);
    match propagation {
        Propagation::Orphan => finalizers.push(ORPHAN.to_owned()),
        Propagation::Foreground => finalizers.push(FOREGROUND.to_owned()),
        Propagation::Background => {}
    }
    object::put(wanted, "finalizers", (!finalizers.is_empty()).then(|| json!(finalizers)));
}
