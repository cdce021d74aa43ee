//! What a Machine keeps of the class that its VM was made with, so that its deletion depends on no class.
//!
//! Never a secret: credentials stay in the Secrets that are named here, and a provider spec holds none by contract.

use k8s_openapi::api::core::v1::SecretReference;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Machine, MachineClass};

/// A larger provider spec is not copied: every watch and every list would carry it once for each machine.
const LARGEST_SPEC: usize = 32 * 1024;

/// What stands in `status.createdWithClass` of a Machine, as compact JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClassRecord {
    /// Name of the provider.
    pub provider: String,
    /// The provider's own part.
    pub provider_spec: Value,
    /// The provider spec was too large to be copied.
    #[serde(skip_serializing_if = "crate::wire::is_false")]
    pub provider_spec_omitted: bool,
    /// The Secret with `userData` and, unless there is a second one, credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
    /// A second Secret with credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_secret_ref: Option<SecretReference>,
}

impl ClassRecord {
    /// The record of a class.
    #[must_use]
    pub fn of(class: &MachineClass) -> Self {
        let omitted = class.provider_spec.to_string().len() > LARGEST_SPEC;
        Self {
            provider: class.provider.clone(),
            provider_spec: if omitted { Value::Null } else { class.provider_spec.clone() },
            provider_spec_omitted: omitted,
            secret_ref: class.secret_ref.clone(),
            credentials_secret_ref: class.credentials_secret_ref.clone(),
        }
    }

    /// The record that a machine carries; `None` without one, and for one that can't be read.
    #[must_use]
    pub fn on(machine: &Machine) -> Option<Self> {
        let record: Self = serde_json::from_str(&machine.status.created_with_class).ok()?;
        (!record.provider.is_empty()).then_some(record)
    }

    /// The record as it stands in the status.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Strings and a value that came from JSON always become JSON again.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A class of the machine's namespace that says what the record says.
    #[must_use]
    pub fn to_class(&self, name: &str, namespace: &str) -> MachineClass {
        let mut class = MachineClass::default();
        class.metadata.name = Some(name.to_owned());
        class.metadata.namespace = Some(namespace.to_owned());
        class.provider.clone_from(&self.provider);
        class.provider_spec.clone_from(&self.provider_spec);
        class.secret_ref.clone_from(&self.secret_ref);
        class.credentials_secret_ref.clone_from(&self.credentials_secret_ref);
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectView;
    use serde_json::json;

    fn class(spec: Value) -> MachineClass {
        let reference =
            |name: &str| SecretReference { name: Some(name.into()), namespace: Some("fleet".into()) };
        let mut class = MachineClass::default();
        class.provider = "local".into();
        class.provider_spec = spec;
        class.secret_ref = Some(reference("a"));
        class.credentials_secret_ref = Some(reference("b"));
        class
    }

    fn carrying(value: &str) -> Machine {
        let mut machine = Machine::default();
        value.clone_into(&mut machine.status.created_with_class);
        machine
    }

    #[test]
    fn a_class_comes_back_as_it_was() {
        let class = class(json!({"size": "small", "tags": {"a": "b"}}));
        let record = ClassRecord::on(&carrying(&ClassRecord::of(&class).to_text())).unwrap();
        let mut again = record.to_class("small", "fleet");
        assert_eq!((again.name(), again.namespace()), ("small", "fleet"));
        again.metadata = Default::default();
        assert_eq!(again, class);
    }

    #[test]
    fn a_spec_that_is_too_large_is_left_out_and_that_is_said() {
        let record = ClassRecord::of(&class(json!({"blob": "x".repeat(LARGEST_SPEC)})));
        assert!(record.provider_spec_omitted && record.provider_spec.is_null());
        assert!(record.to_text().len() < 1024);
        let small = ClassRecord::of(&class(json!({"blob": "x".repeat(LARGEST_SPEC - 100)})));
        assert!(!small.provider_spec_omitted);
    }

    #[test]
    fn an_annotation_that_is_no_record_counts_as_none() {
        for value in ["", "x", "[]", "{\"provider\": 7}"] {
            assert_eq!(ClassRecord::on(&carrying(value)), None, "{value}");
        }
        assert_eq!(ClassRecord::on(&Machine::default()), None);
    }
}
