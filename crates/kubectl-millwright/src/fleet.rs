//! What the files say of one namespace: its classes, who names them, and its Secrets' keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use millwright_admission::{ClassUser, Kind, SecretFact, Standing};
use millwright_api::MachineClass;
use serde::Deserialize as _;

use crate::object::Object;
use crate::yaml::{Content, Node};

/// The objects of a namespace, as far as others refer to them.
#[derive(Default)]
pub(crate) struct Fleet {
    /// None where a class is too broken to be read.
    pub(crate) classes: BTreeMap<String, Option<Arc<MachineClass>>>,
    pub(crate) users: BTreeMap<String, Vec<ClassUser>>,
    pub(crate) secrets: BTreeMap<String, SecretFact>,
}

impl Fleet {
    /// Takes note of one of our objects.
    pub(crate) fn add(&mut self, object: &Object) {
        let name = &object.subject.name;
        let class = match object.kind {
            Kind::MachineClass => {
                if !name.is_empty() {
                    let class = MachineClass::deserialize(&object.json).ok().map(Arc::new);
                    self.classes.insert(name.clone(), class);
                }
                return;
            }
            // An empty set is history to roll back to, and holds up no class.
            Kind::MachineSet
                if object.json.pointer("/spec/replicas").is_none_or(|replicas| *replicas == 0) =>
            {
                return;
            }
            Kind::Machine => "/spec/class/name",
            Kind::MachineSet | Kind::MachineDeployment => "/spec/template/spec/class/name",
        };
        if let Some(class) = object.json.pointer(class).and_then(serde_json::Value::as_str) {
            let leaving =
                object.json.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
            let standing = if leaving { Standing::Deleting } else { Standing::There };
            let user = ClassUser { kind: object.kind, name: name.clone(), standing };
            self.users.entry(class.to_owned()).or_default().push(user);
        }
    }

    /// Takes note of a Secret: only names of keys are kept.
    pub(crate) fn add_secret(&mut self, name: &str, secret: &Node) {
        let mut keys: BTreeSet<String> = match self.secrets.get(name) {
            Some(known) => known.keys.as_ref().clone(),
            None => BTreeSet::new(),
        };
        for field in ["data", "stringData"] {
            let Some(Content::Map(entries)) = secret.entry(field).map(|entry| &entry.node.content) else {
                continue;
            };
            let filled = entries.iter().filter(|entry| {
                matches!(&entry.node.content, Content::Scalar(value) if !value.is_null() && *value != "")
            });
            keys.extend(filled.map(|entry| entry.key.clone()));
        }
        self.secrets.insert(name.to_owned(), SecretFact { keys: Arc::new(keys) });
    }
}
