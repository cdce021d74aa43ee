//! The schemas of the four kinds, as they are installed.

use std::cell::OnceCell;

use millwright_admission::Kind;
use serde_json::Value;

use crate::schema::metadata;
use crate::yaml::documents;

/// The schemas of the kinds, each read when it is first asked for.
#[derive(Default)]
pub(crate) struct Crds([OnceCell<Value>; 4]);

impl Crds {
    /// The schema of a kind, from the CRD that this program was built with.
    pub(crate) fn schema(&self, kind: Kind) -> &Value {
        let (place, text) = match kind {
            Kind::MachineClass => (0, MACHINE_CLASSES),
            Kind::Machine => (1, MACHINES),
            Kind::MachineSet => (2, MACHINE_SETS),
            Kind::MachineDeployment => (3, MACHINE_DEPLOYMENTS),
        };
        self.0[place].get_or_init(|| schema_of(text))
    }
}

const MACHINE_CLASSES: &str =
    include_str!("../../../../config/crd/bases/machine.sapcloud.io_machineclasses.yaml");
const MACHINES: &str = include_str!("../../../../config/crd/bases/machine.sapcloud.io_machines.yaml");
const MACHINE_SETS: &str = include_str!("../../../../config/crd/bases/machine.sapcloud.io_machinesets.yaml");
const MACHINE_DEPLOYMENTS: &str =
    include_str!("../../../../config/crd/bases/machine.sapcloud.io_machinedeployments.yaml");

/// Empty when the text is no CRD, which a test rules out.
fn schema_of(text: &str) -> Value {
    let crd = documents(text).into_iter().find_map(Result::ok).map(|document| document.root.to_json());
    let schema =
        crd.and_then(|mut crd| Some(crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema")?.take()));
    let mut schema = schema.unwrap_or_default();
    if let Some(metadata) = schema.pointer_mut("/properties/metadata") {
        *metadata = metadata::schema();
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_schema() {
        let crds = Crds::default();
        for kind in Kind::ALL {
            let schema = crds.schema(kind);
            assert_eq!(schema["properties"]["metadata"]["properties"]["name"]["type"], "string", "{kind:?}");
            let description = schema["description"].as_str().unwrap();
            assert!(description.starts_with(kind.as_str()), "{description}");
        }
    }
}
