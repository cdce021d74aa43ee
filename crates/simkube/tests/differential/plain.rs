//! Answers without what two servers may differ in: versions and UIDs by the order in which they were seen, times as such, messages where
//! they are not ours to match, and of the big built-in kinds only what simkube models.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What was seen of a server so far.
#[derive(Default)]
pub(crate) struct Plain {
    versions: BTreeMap<String, usize>,
    uids: BTreeMap<String, usize>,
}

/// Of these kinds only these fields are compared, beside metadata.
const MODELLED: &[(&str, &[&str])] = &[
    ("Pod", &["/spec/nodeName", "/status/phase", "/status/conditions"]),
    ("Node", &["/spec/unschedulable", "/spec/providerID", "/status/capacity", "/status/conditions"]),
    ("PersistentVolume", &["/spec/capacity", "/spec/csi", "/status/phase"]),
    ("PersistentVolumeClaim", &["/spec/volumeName", "/status/phase"]),
    ("PodDisruptionBudget", &["/spec", "/status/disruptionsAllowed", "/status/disruptedPods"]),
    ("Namespace", &["/status/phase"]),
    ("Event", &["/reason", "/count", "/involvedObject"]),
];

/// Messages of these reasons are the server's contract with people and compared too.
const SPOKEN: &[&str] = &["NotFound", "AlreadyExists", "TooManyRequests"];

impl Plain {
    pub(crate) fn of(&mut self, mut body: Value) -> Value {
        if let Some(events) = body.as_array_mut() {
            // How often a watch is told that nothing happens is up to the server.
            events.retain(|event| {
                event["type"] != "BOOKMARK" || event["object"]["metadata"]["annotations"].is_object()
            });
            return events.iter_mut().map(|event| self.event(event.take())).collect();
        }
        if body.is_string() {
            return body;
        }
        let kind = body["kind"].as_str().unwrap_or_default().to_owned();
        if let Some(items) = body["items"].as_array_mut() {
            let item_kind = kind.trim_end_matches("List");
            for item in items.iter_mut() {
                *item = self.object(item.take(), item_kind);
            }
            let metadata = &mut body["metadata"];
            metadata["resourceVersion"] = json!("of the list");
            match metadata["continue"].as_str() {
                // Another spelling of nothing.
                None | Some("") => metadata.as_object_mut().unwrap().remove("continue"),
                Some(_) => metadata.as_object_mut().unwrap().insert("continue".to_owned(), json!("token")),
            };
            return body;
        }
        self.object(body, &kind)
    }

    fn event(&mut self, mut event: Value) -> Value {
        if event["kind"] == "Status" {
            return self.status(event);
        }
        let object = event["object"].take();
        let kind = object["kind"].as_str().unwrap_or_default().to_owned();
        let object = match event["type"].as_str() {
            // How far it is told is up to the server.
            Some("BOOKMARK") => json!({ "kind": kind, "annotations": object["metadata"]["annotations"] }),
            _ => self.object(object, &kind),
        };
        json!({ "type": event["type"], "object": object })
    }

    fn object(&mut self, mut object: Value, kind: &str) -> Value {
        if kind == "Status" {
            return self.status(object);
        }
        if let Some((_, fields)) = MODELLED.iter().find(|(modelled, _)| *modelled == kind) {
            let mut kept = json!({ "kind": object["kind"], "metadata": object["metadata"] });
            for field in *fields {
                // The disruption controller's zero is there from the beginning; simkube's budgets count pods until somebody writes a status.
                let is_unset =
                    *field == "/status/disruptionsAllowed" && object.pointer(field) == Some(&json!(0));
                if let Some(value) = object.pointer(field).filter(|_| !is_unset) {
                    kept[*field] = value.clone();
                }
            }
            object = kept;
        }
        self.walk(&mut object, "");
        object
    }

    fn status(&mut self, mut status: Value) -> Value {
        let reason = status["reason"].as_str().unwrap_or_default().to_owned();
        let fields = status.as_object_mut().unwrap();
        if !SPOKEN.contains(&reason.as_str()) {
            fields.remove("message");
            for cause in fields
                .get_mut("details")
                .and_then(|details| details["causes"].as_array_mut())
                .into_iter()
                .flatten()
            {
                cause["message"] = json!("a message");
            }
        }
        if status["metadata"]["continue"].is_string() {
            status["metadata"]["continue"] = json!("token");
        }
        self.walk(&mut status, "");
        status
    }

    fn walk(&mut self, value: &mut Value, key: &str) {
        match value {
            Value::Object(fields) => {
                fields.remove("managedFields");
                // Another spelling of nothing.
                fields.retain(|_, value| !value.is_null());
                for (key, value) in fields.iter_mut() {
                    self.walk(value, key);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item, key)),
            Value::String(text) => *text = self.text(key, text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, key: &str, text: &str) -> String {
        let is_time = text.len() >= 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T';
        match key {
            "resourceVersion" => numbered("version", &mut self.versions, text),
            "uid" => numbered("uid", &mut self.uids, text),
            "name" if text.starts_with("gen-") && text.len() == 9 => "gen-made".to_owned(),
            _ if is_time => "a time".to_owned(),
            _ => text.to_owned(),
        }
    }
}

fn numbered(what: &str, seen: &mut BTreeMap<String, usize>, text: &str) -> String {
    let next = seen.len();
    format!("{what} {}", seen.entry(text.to_owned()).or_insert(next))
}
