//! Whatever a CRD lets through must decode: one odd object must not stop a watch.
//!
//! Values are made from the schemas themselves: fields missing or null, numbers at their limits, words that
//! nobody defined. What the schema guarantees (types, required fields) is guaranteed here too.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::crd::{KINDS, is_opaque, is_set, schema};
use crate::kinds::recode;

fn of(schema: &Value) -> BoxedStrategy<Value> {
    if is_set(schema, "x-kubernetes-int-or-string") {
        return prop_oneof![any::<i64>().prop_map(Value::from), word()].boxed();
    }
    match schema["type"].as_str() {
        Some("object") if is_opaque(schema) && is_set(schema, "x-kubernetes-preserve-unknown-fields") => {
            prop_oneof![metadata(), map_of(anything()), odd_metadata()].boxed()
        }
        Some("object") if is_opaque(schema) => metadata().boxed(),
        Some("object") => object(schema),
        Some("array") => vec(of(&schema["items"]), 0..3).prop_map(Value::from).boxed(),
        Some("string") if schema["format"] == "date-time" => time().boxed(),
        Some("string") => word().boxed(),
        Some("integer") if schema["format"] == "int32" => any::<i32>().prop_map(Value::from).boxed(),
        Some("integer") => any::<i64>().prop_map(Value::from).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        other => panic!("nobody taught this test what {other:?} is: {schema}"),
    }
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    if schema["additionalProperties"].is_object() {
        return map_of(of(&schema["additionalProperties"])).boxed();
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut fields: BoxedStrategy<Map<String, Value>> = map_of_words().boxed();
    for (key, field) in schema["properties"].as_object().into_iter().flatten() {
        let key = key.clone();
        let value = if required.contains(&json!(key)) {
            of(field).prop_map(Some).boxed()
        } else {
            prop_oneof![3 => of(field).prop_map(Some), 1 => Just(Some(Value::Null)), 1 => Just(None)].boxed()
        };
        fields = (fields, value)
            .prop_map(move |(mut fields, value)| {
                fields.extend(value.map(|value| (key.clone(), value)));
                fields
            })
            .boxed();
    }
    fields.prop_map(Value::Object).boxed()
}

fn word() -> impl Strategy<Value = Value> {
    let known = ["", "True", "Failed", "Running", "Create", "Processing", "25%", "20m", "Machine"];
    prop_oneof![proptest::sample::select(known.to_vec()).prop_map(str::to_owned), "\\PC{0,12}"]
        .prop_map(Value::from)
}

fn time() -> impl Strategy<Value = Value> {
    // All of these pass an API server as `date-time`; not all are a point in time to us.
    let times = [
        "2026-03-01T08:00:00Z",
        "1970-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-03-01t08:00:00z",
        "2026-03-01T10:00:00.123456+02:00",
        "2026-03-01T08:00:00.123456789123Z",
        "2026-03-01T08:00:00,5Z",
        "2026-03-01T08:00:00+26:00",
        "9999-12-31T23:59:59-23:00",
    ];
    proptest::sample::select(times.to_vec()).prop_map(Value::from)
}

/// Fields that nobody knows; a newer controller may write such.
fn map_of_words() -> impl Strategy<Value = Map<String, Value>> {
    btree_map("x-[a-z]{1,4}", anything(), 0..2).prop_map(|fields| fields.into_iter().collect())
}

fn map_of(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    btree_map("[a-z./]{1,8}", values, 0..3).prop_map(|map| Value::Object(map.into_iter().collect()))
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word(),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[a-z]{1,4}", inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Metadata as the API server checks it.
fn metadata() -> impl Strategy<Value = Value> {
    let owner = json!([{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b", "controller": true}]);
    let texts =
        || btree_map("[a-z./]{1,8}", prop_oneof![word(), Just(Value::Null)], 0..3).prop_map(|map| json!(map));
    (
        proptest::option::of(texts()),
        proptest::option::of(texts()),
        proptest::sample::select(vec![json!(null), json!("2026-03-01T08:00:00Z")]),
        proptest::sample::select(vec![json!(null), json!([]), json!(["a/b", ""])]),
        proptest::sample::select(vec![json!(null), owner]),
    )
        .prop_map(|(labels, annotations, created, finalizers, owners)| {
            json!({
                "name": "any", "labels": labels, "annotations": annotations, "creationTimestamp": created,
                "finalizers": finalizers, "ownerReferences": owners, "generation": 3, "managedFields": [{"manager": "x"}],
            })
        })
}

/// Decodes, and what was written decodes to the same again.
fn survives(kind: &str, object: &Value) -> Result<(), TestCaseError> {
    let once = recode(kind, object).map_err(TestCaseError::fail)?;
    let twice = recode(kind, &once).map_err(TestCaseError::fail)?;
    prop_assert_eq!(once, twice);
    Ok(())
}

/// As `proptest!` would, for a strategy that is made once: making it is most of the work.
fn check(kind: &'static str) {
    let plural = KINDS.iter().find(|(name, _)| *name == kind).unwrap().1;
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    });
    if let Err(failure) = runner.run(&of(&schema(plural)), |object| survives(kind, &object)) {
        panic!("{failure}");
    }
}

#[test]
fn any_valid_machine_class_decodes() {
    check("MachineClass");
}

#[test]
fn any_valid_machine_decodes() {
    check("Machine");
}

#[test]
fn any_valid_machine_set_decodes() {
    check("MachineSet");
}

#[test]
fn any_valid_machine_deployment_decodes() {
    check("MachineDeployment");
}

/// What nobody checks inside a template: the right names with anything in them.
fn odd_metadata() -> impl Strategy<Value = Value> {
    let names = "name|labels|annotations|finalizers|ownerReferences|generation|creationTimestamp|uid|deletionGracePeriodSeconds";
    btree_map(names, anything(), 0..4).prop_map(|map| json!(map))
}
