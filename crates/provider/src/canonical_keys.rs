//! Spells the keys of a provider spec as its schema does. Manifests were written for decoders that match keys without case;
//! what reads a spec here matches exactly, so this comes first. What a spec means, and which keys nobody reads, it does not judge.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// How many references and alternatives of a schema are followed to one place; a loop of them must end.
const MOST_HOPS: usize = 8;

/// The spec with every key that differs from one of the schema's only in case (of ASCII letters) spelled as there, at every depth.
///
/// The exact spelling wins where both are there; of several others the last, as Go's decoder has it. What loses, keys that the schema
/// does not know, and keys of maps whose keys are the user's (`additionalProperties`) stay as they are. Borrowed when nothing changes.
#[must_use]
pub fn canonical_keys<'a>(spec: &'a Value, schema: &Value) -> Cow<'a, Value> {
    respelt(spec, &Places::at(schema, schema)).map_or(Cow::Borrowed(spec), Cow::Owned)
}

/// What a schema says of one place: itself, and what it refers to or offers as alternatives.
struct Places<'s> {
    document: &'s Value,
    schemas: Vec<&'s Value>,
}

impl<'s> Places<'s> {
    fn at(document: &'s Value, schema: &'s Value) -> Self {
        let mut places = Self { document, schemas: Vec::new() };
        places.gather(schema, MOST_HOPS);
        places
    }

    fn gather(&mut self, schema: &'s Value, hops: usize) {
        self.schemas.push(schema);
        let Some(hops) = hops.checked_sub(1) else { return };
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        if let Some(next) = target.and_then(|pointer| self.document.pointer(pointer)) {
            self.gather(next, hops);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.gather(branch, hops);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(branch) = schema.get(keyword) {
                self.gather(branch, hops);
            }
        }
    }

    fn properties(&self) -> impl Iterator<Item = (&'s String, &'s Value)> {
        let schemas = self.schemas.iter();
        schemas.filter_map(|schema| schema.get("properties")?.as_object()).flatten()
    }

    /// The schema's spelling of a key.
    fn spelling(&self, key: &str) -> Option<&'s str> {
        let mut near = None;
        for (known, _) in self.properties() {
            if known == key {
                return Some(known);
            }
            if known.eq_ignore_ascii_case(key) {
                near.get_or_insert(known.as_str());
            }
        }
        near
    }

    fn below(&self, step: impl Fn(&'s Value) -> Option<&'s Value>) -> Self {
        let mut places = Self { document: self.document, schemas: Vec::new() };
        for schema in self.schemas.iter().filter_map(|schema| step(schema)) {
            places.gather(schema, MOST_HOPS);
        }
        places
    }

    fn member(&self, key: &str) -> Self {
        let known = self.below(|schema| schema.get("properties")?.get(key));
        if known.schemas.is_empty() { self.below(|schema| schema.get("additionalProperties")) } else { known }
    }

    fn item(&self) -> Self {
        self.below(|schema| schema.get("items"))
    }
}

/// The value with other keys; none when it stays as it is.
fn respelt(value: &Value, places: &Places<'_>) -> Option<Value> {
    if places.schemas.is_empty() {
        return None;
    }
    match value {
        Value::Object(fields) => respelt_object(fields, places).map(Value::Object),
        Value::Array(items) => {
            let places = places.item();
            let changed: Vec<_> = items.iter().map(|item| respelt(item, &places)).collect();
            changed.iter().any(Option::is_some).then(|| {
                let pairs = changed.into_iter().zip(items);
                Value::Array(pairs.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn respelt_object(fields: &Map<String, Value>, places: &Places<'_>) -> Option<Map<String, Value>> {
    let mut is_changed = false;
    let mut respelt_fields = Vec::with_capacity(fields.len());
    for (index, (key, field)) in fields.iter().enumerate() {
        let known = places.spelling(key).filter(|known| {
            let later_wins = || {
                fields.keys().skip(index + 1).any(|other| other != key && other.eq_ignore_ascii_case(known))
            };
            known == key || (!fields.contains_key(*known) && !later_wins())
        });
        let name = known.unwrap_or(key);
        let below = respelt(field, &places.member(name));
        is_changed |= name != key || below.is_some();
        respelt_fields.push((name, below, field));
    }
    is_changed.then(|| {
        let pairs = respelt_fields.into_iter();
        pairs.map(|(name, below, field)| (name.to_owned(), below.unwrap_or_else(|| field.clone()))).collect()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "properties": {
                "apiVersion": { "type": "string" },
                "diskGiB": { "type": "integer" },
                "tags": { "additionalProperties": { "type": "string" } },
                "pools": { "additionalProperties": { "properties": { "subnetID": {} } } },
                "networkInterfaces": { "items": { "properties": { "subnetID": {}, "ipv6": { "$ref": "#/$defs/ipv6" } } } },
                "address": { "oneOf": [{ "type": "string" }, { "properties": { "poolName": {} } }] },
                "loop": { "$ref": "#/$defs/loop" },
            },
            "$defs": {
                "ipv6": { "properties": { "addressCount": {} } },
                "loop": { "allOf": [{ "$ref": "#/$defs/loop" }], "properties": { "again": { "$ref": "#/$defs/loop" } } },
            },
        })
    }

    #[test]
    fn keys_are_spelled_as_in_the_schema_at_every_depth() {
        let cases = [
            (json!({ "APIVersion": "v1", "DISKGIB": 1 }), json!({ "apiVersion": "v1", "diskGiB": 1 })),
            (
                json!({ "networkinterfaces": [{ "SubnetId": "a", "IPv6": { "addresscount": 1 } }, 7] }),
                json!({ "networkInterfaces": [{ "subnetID": "a", "ipv6": { "addressCount": 1 } }, 7] }),
            ),
            (json!({ "address": { "poolname": 1 } }), json!({ "address": { "poolName": 1 } })),
            (
                json!({ "pools": { "SubnetID": { "subnetid": 1 } } }),
                json!({ "pools": { "SubnetID": { "subnetID": 1 } } }),
            ),
            (
                json!({ "loop": { "Again": { "AGAIN": {} } } }),
                json!({ "loop": { "again": { "again": {} } } }),
            ),
            (json!({ "diskgib": 1, "DiskGib": 2 }), json!({ "diskgib": 1, "diskGiB": 2 })),
        ];
        for (written, wanted) in cases {
            assert_eq!(*canonical_keys(&written, &schema()), wanted);
        }
    }

    #[test]
    fn nothing_is_copied_when_nothing_changes() {
        for spec in [
            json!({ "apiVersion": "v1", "APIVERSION": "lost", "other": { "APIVersion": 1 } }),
            json!({ "tags": { "TAGS": "a", "apiversion": "b" } }),
            json!({ "networkInterfaces": { "SUBNETID": "no list" } }),
            json!(["DiskGiB"]),
            json!(null),
        ] {
            assert!(matches!(canonical_keys(&spec, &schema()), Cow::Borrowed(_)), "{spec}");
        }
    }

    fn any_case(word: &'static str) -> impl Strategy<Value = String> {
        proptest::collection::vec(any::<bool>(), word.len()).prop_map(move |upper| {
            let letters = word.chars().zip(upper);
            letters
                .map(
                    |(letter, upper)| {
                        if upper { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
                    },
                )
                .collect()
        })
    }

    proptest! {
        #[test]
        fn any_case_of_letters_means_the_same_and_maps_keep_their_keys(
            disk in any_case("diskgib"), tags in any_case("tags"), nics in any_case("networkinterfaces"),
            subnet in any_case("subnetid"), tag in any_case("diskgib"),
        ) {
            let written = json!({ disk: 1, tags: { tag.clone(): "x" }, nics: [{ subnet: "s" }] });
            let wanted = json!({ "diskGiB": 1, "tags": { tag: "x" }, "networkInterfaces": [{ "subnetID": "s" }] });
            let canonical = canonical_keys(&written, &schema()).into_owned();
            prop_assert_eq!(&canonical, &wanted);
            prop_assert!(matches!(canonical_keys(&canonical, &schema()), Cow::Borrowed(_)));
        }
    }
}
