//! Strategic merge patches: as merge patches, but lists of the kinds that are known here are merged by key.
//!
//! Known are the lists of metadata, and of nodes and pods as far as somebody patches them; any other list is replaced.
//! Of the directives `$patch: delete` and `$patch: replace` work, orders that a patch asks for are not.

use serde_json::{Map, Value, json};

/// Lists of objects, and by which field their elements are told apart.
const KEYED: &[(&str, &str)] = &[
    ("ownerReferences", "uid"),
    ("conditions", "type"),
    ("addresses", "type"),
    ("containers", "name"),
    ("initContainers", "name"),
    ("volumes", "name"),
    ("env", "name"),
    ("podIPs", "ip"),
];

/// Lists of strings that grow by what a patch names.
const SETS: &[&str] = &["finalizers"];

const DIRECTIVE: &str = "$patch";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";

/// Merges a patch into an object.
pub(super) fn merge(target: &mut Value, patch: &Value) {
    let Some(changes) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Some(fields) = target.as_object_mut() else { return };
    if changes.get(DIRECTIVE).and_then(Value::as_str) == Some("replace") {
        *fields = changes.iter().filter(|(field, _)| *field != DIRECTIVE).map(own).collect();
        return;
    }
    for (field, value) in changes {
        if let Some(list) = field.strip_prefix(DELETE_FROM) {
            if let (Some(Value::Array(items)), Some(gone)) = (fields.get_mut(list), value.as_array()) {
                items.retain(|item| !gone.contains(item));
            }
        } else if !field.starts_with('$') {
            merge_field(fields, field, value);
        }
    }
}

fn own((field, value): (&String, &Value)) -> (String, Value) {
    (field.clone(), value.clone())
}

fn merge_field(fields: &mut Map<String, Value>, field: &str, value: &Value) {
    let key = KEYED.iter().find(|(list, _)| *list == field).map(|(_, key)| *key);
    match (value, key) {
        (Value::Null, _) => {
            fields.shift_remove(field);
        }
        (Value::Array(elements), Some(key)) => {
            let slot = fields.entry(field).or_insert_with(|| json!([]));
            merge_list(slot, elements, key);
        }
        (Value::Array(elements), None) if SETS.contains(&field) => {
            let slot = fields.entry(field).or_insert_with(|| json!([]));
            if let Some(items) = slot.as_array_mut() {
                *items = in_order(items, elements.clone(), |one, other| one == other);
            }
        }
        (Value::Object(_), _) => merge(fields.entry(field).or_insert_with(|| json!({})), value),
        _ => {
            fields.insert(field.to_owned(), value.clone());
        }
    }
}

fn merge_list(list: &mut Value, elements: &[Value], key: &str) {
    let Some(items) = list.as_array_mut() else { return };
    if elements.iter().any(|element| element[DIRECTIVE] == "replace") {
        *items = elements.iter().filter(|element| element.get(DIRECTIVE).is_none()).cloned().collect();
        return;
    }
    let is_same = |one: &Value, other: &Value| one[key] == other[key];
    let (gone, named): (Vec<_>, Vec<_>) = elements.iter().partition(|element| element[DIRECTIVE] == "delete");
    items.retain(|item| !gone.iter().any(|element| is_same(item, element)));
    let named = named.into_iter().map(|element| {
        let mut merged =
            items.iter().find(|item| is_same(item, element)).cloned().unwrap_or_else(|| json!({}));
        merge(&mut merged, element);
        merged
    });
    let named = named.collect();
    *items = in_order(items, named, is_same);
}

/// What the patch names, among what it does not: in the order of the list where that knows both, else the patch's first.
fn in_order(items: &[Value], named: Vec<Value>, is_same: impl Fn(&Value, &Value) -> bool) -> Vec<Value> {
    let place = |wanted: &Value| items.iter().position(|item| is_same(item, wanted));
    let mut others =
        items.iter().filter(|item| !named.iter().any(|element| is_same(item, element))).peekable();
    let mut list = Vec::new();
    for element in &named {
        while let Some(other) =
            others.next_if(|other| place(element).is_some_and(|at| place(other) < Some(at)))
        {
            list.push(other.clone());
        }
        list.push(element.clone());
    }
    list.extend(others.cloned());
    list
}
