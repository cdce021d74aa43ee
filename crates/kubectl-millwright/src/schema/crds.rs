//! The schemas of the four kinds, as they are installed.

use millwright_admission::Kind;
use serde_json::Value;

use crate::schema::metadata;
use crate::yaml::documents;

/// The schemas of all kinds.
pub(crate) struct Crds([(Kind, Value); 4]);

const TEXTS: [(Kind, &str); 4] = [
    (
        Kind::MachineClass,
        include_str!("../../../../config/crd/bases/machine.sapcloud.io_machineclasses.yaml"),
    ),
    (Kind::Machine, include_str!("../../../../config/crd/bases/machine.sapcloud.io_machines.yaml")),
    (Kind::MachineSet, include_str!("../../../../config/crd/bases/machine.sapcloud.io_machinesets.yaml")),
    (
        Kind::MachineDeployment,
        include_str!("../../../../config/crd/bases/machine.sapcloud.io_machinedeployments.yaml"),
    ),
];

impl Crds {
    /// Reads the CRDs that this program was built with.
    pub(crate) fn embedded() -> Self {
        Self(TEXTS.map(|(kind, text)| (kind, schema_of(text))))
    }

    /// The schema of a kind.
    pub(crate) fn schema(&self, kind: Kind) -> &Value {
        self.0.iter().find(|(of, _)| *of == kind).map_or(&Value::Null, |(_, schema)| schema)
    }
}

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
        let crds = Crds::embedded();
        for kind in Kind::ALL {
            let schema = crds.schema(kind);
            assert_eq!(schema["properties"]["metadata"]["properties"]["name"]["type"], "string", "{kind:?}");
            let description = schema["description"].as_str().unwrap();
            assert!(description.starts_with(kind.as_str()), "{description}");
        }
    }
}
