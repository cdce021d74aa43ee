//! Facts as a test tells them.

use std::collections::BTreeMap;
use std::sync::Arc;

use millwright_admission::{ClassUser, Facts, Kind, Known, SecretFact, Standing};
use millwright_api::MachineClass;
use serde::Deserialize as _;
use serde_json::Value;

/// What there is in the namespace; what is not told is not known.
#[derive(Default)]
pub(crate) struct Neighbours {
    classes: BTreeMap<String, Arc<MachineClass>>,
    users: Option<Vec<ClassUser>>,
    secrets: BTreeMap<String, Option<SecretFact>>,
}

impl Neighbours {
    pub(crate) fn class(mut self, class: &Value) -> Self {
        let class = MachineClass::deserialize(class).unwrap();
        self.classes.insert(class.metadata.name.clone().unwrap(), Arc::new(class));
        self
    }

    pub(crate) fn nobody_uses_a_class(mut self) -> Self {
        self.users.get_or_insert_default();
        self
    }

    pub(crate) fn user(mut self, kind: Kind, name: &str, standing: Standing) -> Self {
        let user = ClassUser { kind, name: name.to_owned(), standing };
        self.users.get_or_insert_default().push(user);
        self
    }

    pub(crate) fn secret(mut self, name: &str, keys: &[&str]) -> Self {
        let keys = Arc::new(keys.iter().map(|&key| key.to_owned()).collect());
        self.secrets.insert(name.to_owned(), Some(SecretFact { keys }));
        self
    }

    pub(crate) fn no_secret(mut self, name: &str) -> Self {
        self.secrets.insert(name.to_owned(), None);
        self
    }
}

impl Facts for Neighbours {
    fn classes(&self) -> Known<Vec<String>> {
        if self.classes.is_empty() { Known::No } else { Known::Yes(self.classes.keys().cloned().collect()) }
    }

    fn class(&self, name: &str) -> Known<Option<Arc<MachineClass>>> {
        if self.classes.is_empty() { Known::No } else { Known::Yes(self.classes.get(name).cloned()) }
    }

    fn class_users(&self, _: &str) -> Known<Vec<ClassUser>> {
        self.users.clone().map_or(Known::No, Known::Yes)
    }

    fn secret(&self, name: &str) -> Known<Option<SecretFact>> {
        self.secrets.get(name).cloned().map_or(Known::No, Known::Yes)
    }
}
