//! The hand of tests and simulated actors: it passes no gate, is no request, and may write status and spec at once.

use std::sync::Arc;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kind::ResourceKind;
use crate::store::{DeleteOptions, Past, Target};
use crate::{kinds, object, refusal::Refusal, simkube::SimKube, verb::Verb, write::Write};

const WHO: &str = "operator";

/// Reads and writes objects of a [`SimKube`] past its gate.
///
/// Resources go by their plural name (`machines`), or with the group where that is not enough (`events.events.k8s.io`). The namespace of
/// cluster-wide objects is empty. What is not served panics: a test that misspells a kind should fail, not find nothing.
#[derive(Clone)]
pub struct Operator {
    sim: SimKube,
}

impl Operator {
    pub(crate) fn new(sim: SimKube) -> Self {
        Self { sim }
    }

    /// An object.
    #[must_use]
    pub fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Value> {
        let at = target(resource, namespace, name);
        self.sim.read(|store| store.get(&at)).map(|object| Value::clone(&object))
    }

    /// All objects of a kind, in the order of namespace and name.
    #[must_use]
    pub fn list(&self, resource: &str) -> Vec<Value> {
        let kind = kind(resource);
        self.sim.read(|store| store.all(kind, Past::Now).map(|(_, object)| Value::clone(&object)).collect())
    }

    /// Makes an object, or makes one that is there like this, status included.
    ///
    /// # Errors
    /// As the server's, except for conflicts: there are none.
    pub fn apply(&self, object: Value) -> Result<Value, Refusal> {
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let Some(kind) = kinds::of_object(text("apiVersion"), text("kind")) else {
            panic!("simkube serves no {} {}", text("apiVersion"), text("kind"));
        };
        let namespace = object::meta(&object, "namespace").to_owned();
        let at = Target { kind, namespace, name: object::meta(&object, "name").to_owned() };
        let by = self.sim.caller(WHO, None, Verb::Update);
        self.sim.write(|store| store.put(&by, &at, object))
    }

    /// Changes an object; equal state is no write. One that waits for its last finalizer goes when that is taken away.
    ///
    /// # Errors
    /// When it is not there.
    pub fn modify(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<Value, Refusal> {
        let at = target(resource, namespace, name);
        let by = self.sim.caller(WHO, None, Verb::Update);
        self.sim.write(|store| {
            let Some(existing) = store.get(&at) else { return Err(Refusal::not_found(at.kind, name)) };
            let mut wanted = Value::clone(&existing);
            change(&mut wanted);
            store.put(&by, &at, wanted)
        })
    }

    /// Deletes as a client would: finalizers and grace periods are heeded.
    ///
    /// # Errors
    /// When it is not there.
    pub fn delete(&self, resource: &str, namespace: &str, name: &str) -> Result<(), Refusal> {
        let at = target(resource, namespace, name);
        let by = self.sim.caller(WHO, None, Verb::Delete);
        self.sim.write(|store| store.delete(&by, &at, &DeleteOptions::default())).map(|_| ())
    }

    /// Ends a deletion as a kubelet does: no grace is left, finalizers are heeded.
    ///
    /// # Errors
    /// When it is not there.
    pub fn finish(&self, resource: &str, namespace: &str, name: &str) -> Result<(), Refusal> {
        let at = target(resource, namespace, name);
        let by = self.sim.caller(WHO, None, Verb::Delete);
        let options = DeleteOptions { grace_seconds: Some(0), ..DeleteOptions::default() };
        self.sim.write(|store| store.delete(&by, &at, &options)).map(|_| ())
    }

    /// Takes an object away, whatever it waits for. Tells whether it was there.
    pub fn remove(&self, resource: &str, namespace: &str, name: &str) -> bool {
        let at = target(resource, namespace, name);
        let by = self.sim.caller(WHO, None, Verb::Delete);
        self.sim.write(|store| store.take(&by, &at))
    }

    /// As [`Operator::get`], typed. Panics when the object does not fit the type.
    #[must_use]
    pub fn get_as<K>(&self, namespace: &str, name: &str) -> Option<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.get(&resource_of::<K>(), namespace, name).map(typed)
    }

    /// As [`Operator::list`], typed. Panics when an object does not fit the type.
    #[must_use]
    pub fn list_as<K>(&self) -> Vec<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.list(&resource_of::<K>()).into_iter().map(typed).collect()
    }

    /// As [`Operator::apply`], typed.
    ///
    /// # Errors
    /// As the server's.
    pub fn apply_as<K>(&self, object: &K) -> Result<K, Refusal>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        let mut value = raw(object);
        value["apiVersion"] = K::api_version(&()).as_ref().into();
        value["kind"] = K::kind(&()).as_ref().into();
        self.apply(value).map(typed)
    }

    /// As [`Operator::modify`], typed: what the type does not know of the object is lost.
    ///
    /// # Errors
    /// When it is not there.
    pub fn modify_as<K>(&self, namespace: &str, name: &str, change: impl FnOnce(&mut K)) -> Result<K, Refusal>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        let changed = self.modify(&resource_of::<K>(), namespace, name, |value| {
            let mut object: K = typed(value.take());
            change(&mut object);
            *value = raw(&object);
        });
        changed.map(typed)
    }

    /// All writes so far, oldest first.
    #[must_use]
    pub fn history(&self) -> Vec<Arc<Write>> {
        self.sim.history()
    }
}

fn kind(resource: &str) -> &'static ResourceKind {
    kinds::named(resource).unwrap_or_else(|| panic!("simkube serves no {resource}"))
}

fn target(resource: &str, namespace: &str, name: &str) -> Target {
    Target { kind: kind(resource), namespace: namespace.to_owned(), name: name.to_owned() }
}

fn resource_of<K: Resource<DynamicType = ()>>() -> String {
    let (plural, group) = (K::plural(&()), K::group(&()));
    if group.is_empty() { plural.into_owned() } else { format!("{plural}.{group}") }
}

fn typed<K: DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap_or_else(|error| panic!("an object does not fit its type: {error}"))
}

fn raw<K: Serialize>(object: &K) -> Value {
    serde_json::to_value(object).unwrap_or_else(|error| panic!("an object has no JSON: {error}"))
}
