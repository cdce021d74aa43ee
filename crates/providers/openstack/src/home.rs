//! Where the servers of a class live and by what they are known there: all that finding, listing and ending them need.
//!
//! It is read by itself, so that a class with mistakes elsewhere, or one that only a later version can read, is still looked after.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Dialect, ProviderError, canonical_keys, kubermatic};
use serde_json::Value;

use crate::provider_id::IdForm;
use crate::schema;

/// The part of a class that its servers can not be found without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) region: String,
    pub(crate) id_form: IdForm,
    pub(crate) find_by: FindBy,
}

/// By what a server without a known id belongs to a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindBy {
    /// Its name, in the scope.
    NameAndScope,
    /// The UID it is tagged with, in the scope or not.
    Uid,
}

impl Home {
    /// The home of a class's servers, whatever else of the class can be read.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        match class.dialect {
            Dialect::Gardener => Self::in_gardeners_words(class.spec).map_err(|problem| {
                let message = format!("class {}/{}: providerSpec: {problem}", class.namespace, class.name);
                ProviderError::new(MachineCode::InvalidArgument, message)
            }),
            Dialect::Kubermatic => Ok(Self {
                region: kubermatic::needed_text(class, "region")?.to_owned(),
                id_form: IdForm::WithoutRegion,
                find_by: FindBy::Uid,
            }),
        }
    }

    /// The same of a spec in Gardener's words; an error says what stops it.
    pub(crate) fn in_gardeners_words(spec: &Value) -> Result<Self, String> {
        let spec = canonical_keys(spec, schema::schema());
        let region = spec.pointer("/spec/region").and_then(Value::as_str).filter(|region| !region.is_empty());
        let region = region.ok_or("spec.region must be set")?.to_owned();
        Ok(Self { region, id_form: IdForm::WithRegion, find_by: FindBy::NameAndScope })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home(dialect: Dialect, spec: &Value) -> Result<Home, ProviderError> {
        Home::of(&ClassView { dialect, name: "small", namespace: "demo", spec, node_template: None })
    }

    #[test]
    fn a_class_that_nobody_can_read_still_says_where_its_servers_are() {
        let gardener =
            json!({ "kind": "Unheard", "spec": { "Region": "R1", "networks": "none", "rootDiskSize": -1 } });
        assert_eq!(home(Dialect::Gardener, &gardener).unwrap().region, "R1");
        let kubermatic = json!({ "cloudProviderSpec": { "region": "R1", "image": 7 }, "network": 7 });
        assert_eq!(home(Dialect::Kubermatic, &kubermatic).unwrap().region, "R1");
    }

    #[test]
    fn a_class_without_a_region_leads_nowhere() {
        for spec in [json!({}), json!({ "spec": { "region": "" } }), json!({ "spec": { "region": 7 } })] {
            let error = home(Dialect::Gardener, &spec).unwrap_err();
            assert_eq!(error.code, MachineCode::InvalidArgument);
            assert!(error.message.contains("spec.region"), "{error}");
        }
    }
}
