//! Whatever JSON comes, admission answers: it never panics, and its answers keep their promises.

use millwright_admission::{Change, Facts, Kind, NoFacts, review, validate};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::ask::{KnownClasses, patch, request, rulebook};
use crate::objects::{class, deployment, machine, set};

/// Keys that rules look at, so that random objects get past the first question.
const KEYS: [&str; 40] = [
    "metadata",
    "spec",
    "status",
    "provider",
    "providerSpec",
    "secretRef",
    "nodeTemplate",
    "name",
    "namespace",
    "class",
    "kind",
    "selector",
    "matchLabels",
    "matchExpressions",
    "key",
    "operator",
    "values",
    "template",
    "labels",
    "annotations",
    "taints",
    "effect",
    "strategy",
    "type",
    "rollingUpdate",
    "inPlaceUpdate",
    "maxSurge",
    "maxUnavailable",
    "replicas",
    "drainTimeout",
    "nodeConditions",
    "capacity",
    "size",
    "tags",
    "boot",
    "nics",
    "address",
    "deletionTimestamp",
    "~/x",
    "",
];
const TEXTS: [&str; 14] = [
    "",
    "cloud",
    "MachineClass",
    "small",
    "RollingUpdate",
    "InPlaceUpdate",
    "In",
    "10m",
    "25%",
    "-1s",
    "a b",
    "äöü🦀",
    "NoSchedule",
    "99999999999999999999h",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(&TEXTS[..]).prop_map(Value::from),
        ".{0,80}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let key = prop_oneof![4 => select(&KEYS[..]).prop_map(str::to_owned), 1 => ".{0,12}"];
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(key, inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A good object of the kind with one place, chosen by `at`, replaced.
fn spoiled(kind: Kind, at: usize, value: Value) -> Value {
    let mut object = match kind {
        Kind::MachineClass => class(),
        Kind::Machine => machine(),
        Kind::MachineSet => set(),
        Kind::MachineDeployment => deployment(),
    };
    object["spec"]["nodeTemplate"] = json!({"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}});
    let mut places = Vec::new();
    list_places(&object, String::new(), &mut places);
    *object.pointer_mut(&places[at % places.len()]).unwrap() = value;
    object
}

fn list_places(value: &Value, here: String, places: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                list_places(value, format!("{here}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                list_places(value, format!("{here}/{index}"), places);
            }
        }
        _ => {}
    }
    places.push(here);
}

fn holds_its_promises(kind: Kind, change: Change<'_>) {
    let rulebook = rulebook();
    let asked = request(kind, change);
    for facts in [&NoFacts as &dyn Facts, &KnownClasses(&["small"])] {
        let verdict = validate(&asked, facts, &rulebook);
        assert!(verdict.errors.is_sorted_by_key(|error| &error.field));
        assert!(verdict.errors.iter().all(|error| !error.detail.is_empty()));
        assert_eq!(review(&asked, facts, &rulebook).patch, patch(&asked));
    }
    if let Some(defaults) = patch(&asked) {
        let written = change.new_object().unwrap();
        let mut once = written.clone();
        json_patch::patch(&mut once, &defaults).unwrap();
        assert!(is_kept(written, &once), "{written:#} became {once:#}");
        assert_eq!(patch(&request(kind, Change::Create { new: &once })), None);
    }
}

/// Everything written stands there still, and lists are as they were. Null counts as not written.
fn is_kept(written: &Value, after: &Value) -> bool {
    match (written, after) {
        (Value::Object(written), Value::Object(after)) => written
            .iter()
            .all(|(key, value)| value.is_null() || after.get(key).is_some_and(|after| is_kept(value, after))),
        _ => written == after,
    }
}

/// An update that changes nothing, only metadata, or takes a finalizer away.
fn passes(kind: Kind, object: &Value) {
    let rulebook = rulebook();
    let judged =
        |old: &Value, new: &Value| validate(&request(kind, Change::Update { old, new }), &NoFacts, &rulebook);
    assert_eq!(judged(object, object).errors, []);
    let Some(fields) = object.as_object() else { return };
    let mut held = fields.clone();
    held.insert("metadata".to_owned(), json!({"finalizers": ["a", "b"], "annotations": {"x": "y"}}));
    let mut labelled = held.clone();
    labelled.insert("metadata".to_owned(), json!({"finalizers": ["a", "b"], "labels": {"pool": "b"}}));
    let mut released = held.clone();
    released.insert("metadata".to_owned(), json!({"finalizers": ["a"], "labels": {"a b": 7}}));
    let (held, labelled, released) = (Value::Object(held), Value::Object(labelled), Value::Object(released));
    assert_eq!(judged(&held, &labelled).errors, []);
    assert_eq!(judged(&held, &released), millwright_admission::Verdict::default());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_json_never_panics(old in any_json(), new in any_json(), kind in select(&Kind::ALL[..])) {
        holds_its_promises(kind, Change::Create { new: &new });
        holds_its_promises(kind, Change::Update { old: &old, new: &new });
        passes(kind, &new);
    }

    #[test]
    fn good_objects_with_one_arbitrary_place_never_panic(
        kind in select(&Kind::ALL[..]), at in any::<usize>(), value in any_json(), old_at in any::<usize>(),
    ) {
        let (old, new) = (spoiled(kind, old_at, value.clone()), spoiled(kind, at, value));
        holds_its_promises(kind, Change::Create { new: &new });
        holds_its_promises(kind, Change::Update { old: &old, new: &new });
        passes(kind, &new);
    }
}
