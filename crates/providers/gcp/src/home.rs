//! Where the VMs of a class live and by what they are known there: all that finding, listing and ending them need.
//!
//! It is read by itself, so that a class with mistakes elsewhere, or one that only a later version can read, is still looked after.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Dialect, ProviderError, kubermatic};
use serde_json::Value;

use crate::names::{is_name, is_project};
use crate::provider_id::IdForm;
use crate::schema::canonical;

/// The part of a class that its VMs can not be found without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    /// The project, where the class names it and not the credentials.
    pub(crate) project: Option<String>,
    pub(crate) zone: String,
    /// How ids are written.
    pub(crate) id_form: IdForm,
    /// By what a VM is known as a machine's.
    pub(crate) known_by: KnownBy,
}

/// By what a VM is known as a machine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KnownBy {
    /// Its network tags; the UID label may be missing, as on VMs of machine-controller-manager.
    #[default]
    Scope,
    /// The UID label alone, as on VMs of Kubermatic's machine-controller.
    Uid,
}

impl Home {
    /// The home of a class's VMs, whatever else of the class can be read.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        let home = match class.dialect {
            Dialect::Gardener => {
                let spec = canonical(class.spec);
                let zone = spec.get("zone").and_then(Value::as_str).unwrap_or_default().to_owned();
                Self { zone, ..Self::default() }
            }
            Dialect::Kubermatic => Self {
                project: project(class).map(str::to_owned),
                zone: kubermatic::needed_text(class, "zone")?.to_owned(),
                id_form: IdForm::TwoSlashes,
                known_by: KnownBy::Uid,
            },
        };
        home.checked().map_err(|reason| {
            let message = format!("class {}/{}: providerSpec: {reason}", class.namespace, class.name);
            ProviderError::new(MachineCode::InvalidArgument, message)
        })
    }

    /// Both go into URLs: classes that were never reviewed come here too.
    fn checked(self) -> Result<Self, String> {
        if !is_name(&self.zone) {
            return Err(format!("zone {:?} is no name of Compute Engine", self.zone));
        }
        match self.project.as_deref().filter(|project| !is_project(project)) {
            Some(project) => Err(format!("projectID {project:?} is no project of Google Cloud")),
            None => Ok(self),
        }
    }
}

fn project<'a>(class: &ClassView<'a>) -> Option<&'a str> {
    let project = class.spec.get("cloudProviderSpec")?.get("projectID")?.as_str()?;
    Some(project).filter(|project| !project.is_empty())
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
        let gardener =
            home(Dialect::Gardener, &json!({ "Zone": "europe-west1-b", "disks": "none", "region": 7 }))
                .unwrap();
        assert_eq!((gardener.zone.as_str(), gardener.project), ("europe-west1-b", None));
        let spec = json!({ "cloudProviderSpec": { "zone": "europe-west1-b", "projectID": "p-1", "diskSize": "big" }, "network": 7 });
        let kubermatic = home(Dialect::Kubermatic, &spec).unwrap();
        assert_eq!(
            (kubermatic.zone.as_str(), kubermatic.project.as_deref()),
            ("europe-west1-b", Some("p-1"))
        );
    }

    #[test]
    fn what_is_no_name_never_gets_into_a_url() {
        for (dialect, spec) in [
            (Dialect::Gardener, json!({ "zone": "../../x" })),
            (Dialect::Gardener, json!({ "zone": 7 })),
            (Dialect::Kubermatic, json!({ "cloudProviderSpec": { "zone": "a/b" } })),
            (Dialect::Kubermatic, json!({ "cloudProviderSpec": { "zone": "a-b", "projectID": "p/q" } })),
        ] {
            assert_eq!(home(dialect, &spec).unwrap_err().code, MachineCode::InvalidArgument, "{spec}");
        }
    }
}
