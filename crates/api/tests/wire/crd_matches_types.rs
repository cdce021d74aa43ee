//! Types and CRDs know the same fields, in both directions.

use std::collections::BTreeSet;

use millwright_api::{Machine, MachineClass, MachineDeployment, MachineSet};
use serde_json::{Value, json};

use crate::crd::{KINDS, full_value, knows, schema};
use crate::full_objects::full_object;
use crate::kinds::recode;
use crate::paths::leaves;
use crate::struct_fields::names_of;

#[test]
fn every_field_that_we_write_is_in_the_crd() {
    for (kind, plural) in KINDS {
        let schema = schema(plural);
        let paths = leaves(&full_object(kind));
        assert!(paths.len() > 8, "{kind}: only {} fields", paths.len());
        for path in paths.keys() {
            let steps: Vec<&str> = path.split('.').collect();
            assert!(
                knows(&schema, &steps),
                "{kind}: {path} is not in the CRD, so the API server would drop it"
            );
        }
    }
}

#[test]
fn every_field_of_the_crd_is_known_to_the_types() {
    for (kind, plural) in KINDS {
        let mut object = full_value(&schema(plural));
        object["apiVersion"] = json!("machine.sapcloud.io/v1alpha1");
        object["kind"] = json!(kind);
        let written = recode(kind, &object).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(
            differences(&object, &written),
            Vec::<String>::new(),
            "{kind}: fields that come back otherwise"
        );
    }
}

#[test]
fn the_top_of_each_kind_has_the_fields_of_its_crd() {
    let tops: [(&str, &[&str]); 4] = [
        ("machineclasses", names_of::<MachineClass>()),
        ("machines", names_of::<Machine>()),
        ("machinesets", names_of::<MachineSet>()),
        ("machinedeployments", names_of::<MachineDeployment>()),
    ];
    for (plural, names) in tops {
        let schema = schema(plural);
        let mut wanted: BTreeSet<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        // Written as constants, and not read.
        wanted.remove("apiVersion");
        wanted.remove("kind");
        assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), wanted, "{plural}");
    }
}

fn differences(before: &Value, after: &Value) -> Vec<String> {
    let (before, after) = (leaves(before), leaves(after));
    let lost = before.iter().filter(|(path, value)| after.get(*path) != Some(value));
    let added = after.iter().filter(|(path, _)| !before.contains_key(*path));
    lost.chain(added)
        .map(|(path, _)| format!("{path}: {:?} -> {:?}", before.get(path), after.get(path)))
        .collect()
}
