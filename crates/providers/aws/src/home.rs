//! Where the VMs of a class live and by what they are known there: all that finding, listing and ending them need.
//!
//! It is read by itself, so that a class with mistakes elsewhere, or one that only a later version can read, is still looked after.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Dialect, ProviderError, canonical_keys, kubermatic};
use serde_json::Value;

use crate::schema;

/// The part of a class that its VMs can not be found without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) region: String,
    pub(crate) id_form: IdForm,
    pub(crate) belonging: Belonging,
}

/// What stands in the middle of a provider id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdForm {
    Region,
    Zone,
}

/// Which VMs are a machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belonging {
    /// Those with the tags of the scope.
    Scope,
    /// Those too that carry the machine's UID, whatever else they carry.
    ScopeOrUid,
}

impl Home {
    /// The home of a class's VMs, whatever else of the class can be read.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        let region = region(class)?;
        Ok(match class.dialect {
            Dialect::Gardener => Self { region, id_form: IdForm::Region, belonging: Belonging::Scope },
            Dialect::Kubermatic => Self { region, id_form: IdForm::Zone, belonging: Belonging::ScopeOrUid },
        })
    }
}

/// It becomes part of the address that credentials are sent to, so that nothing but a name is taken for one.
fn region(class: &ClassView<'_>) -> Result<String, ProviderError> {
    let region = match class.dialect {
        Dialect::Gardener => {
            let spec = canonical_keys(class.spec, &schema::SCHEMA);
            spec.get("region").and_then(Value::as_str).unwrap_or_default().trim().to_owned()
        }
        Dialect::Kubermatic => kubermatic::needed_text(class, "region")?.trim().to_owned(),
    };
    let is_of_one = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !region.is_empty() && region.bytes().all(is_of_one) {
        return Ok(region);
    }
    let (namespace, name) = (class.namespace, class.name);
    let message = format!(
        "class {namespace}/{name}: providerSpec: region must be lower-case letters, digits and hyphens, such as eu-west-1"
    );
    Err(ProviderError::new(MachineCode::InvalidArgument, message))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home(dialect: Dialect, spec: &Value) -> Result<Home, ProviderError> {
        Home::of(&ClassView { dialect, name: "small", namespace: "demo", spec, node_template: None })
    }

    #[test]
    fn a_class_that_nobody_can_read_still_says_where_its_vms_are() {
        let gardener = json!({ "Region": "eu-west-1", "blockDevices": "none", "iam": 7 });
        let kubermatic =
            json!({ "cloudProviderSpec": { "region": "eu-west-1", "diskSize": "big" }, "sshPublicKeys": 7 });
        assert_eq!(
            home(Dialect::Gardener, &gardener).map(|home| home.region).ok().as_deref(),
            Some("eu-west-1")
        );
        assert_eq!(
            home(Dialect::Kubermatic, &kubermatic).map(|home| home.region).ok().as_deref(),
            Some("eu-west-1")
        );
    }

    #[test]
    fn credentials_are_sent_to_no_region_that_is_no_name() {
        for region in [json!(""), json!(null), json!(7), json!("thief.example.com/"), json!("EU-WEST-1")] {
            for (dialect, spec) in [
                (Dialect::Gardener, json!({ "region": region })),
                (Dialect::Kubermatic, json!({ "cloudProviderSpec": { "region": region } })),
            ] {
                let error = home(dialect, &spec).expect_err("no home");
                assert_eq!(error.code, MachineCode::InvalidArgument, "{spec}");
            }
        }
    }
}
