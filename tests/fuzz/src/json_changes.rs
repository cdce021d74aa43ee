//! Changes values of a review, mostly within its object.

use serde_json::{Map, Number, Value, json};

use crate::Random;

/// Makes one change.
pub(crate) fn change(review: &mut Value, other: Option<&Value>, words: &[String], random: &mut Random) {
    let within = match random.below(8) {
        0 => "",
        1 => "/request",
        2 => "/request/oldObject",
        _ => "/request/object",
    };
    let there = other.and_then(|other| other.pointer(within)).cloned();
    if let Some(root) = review.pointer_mut(within) {
        let donor = there.map(|there| picked(&there, random).clone());
        let place = random.below(size(root));
        if let Some(target) = nth(root, &mut { place }) {
            change_value(target, donor, words, random);
        }
    }
}

fn change_value(target: &mut Value, donor: Option<Value>, words: &[String], random: &mut Random) {
    match (random.below(10), &mut *target) {
        (0, target) => *target = donor.unwrap_or_default(),
        (1, Value::Object(fields)) => {
            let key = fields.keys().nth(random.below(fields.len())).cloned().unwrap_or_default();
            fields.shift_remove(&key);
        }
        (2, Value::Object(fields)) => misspell(fields, random),
        (3 | 4, Value::Object(fields)) => {
            let value = donor.filter(|_| random.below(2) == 0).unwrap_or_else(|| interesting(words, random));
            fields.insert(word(words, random), value);
        }
        (1 | 2, Value::Array(items)) if !items.is_empty() => {
            let item = items[random.below(items.len())].clone();
            let times = 1 + random.below(4) * random.below(40);
            items.extend(std::iter::repeat_n(item, times));
        }
        (3, Value::Array(items)) => {
            items.pop();
        }
        (1..=3, Value::String(text)) => {
            let word = word(words, random);
            match random.below(3) {
                0 => text.push_str(&word),
                1 => *text = text.chars().skip(1).collect(),
                _ => *text = word,
            }
        }
        (4, target) => {
            let depth = 1 + random.below(3) * random.below(80);
            for _ in 0..depth {
                *target =
                    if random.below(2) == 0 { json!([target.take()]) } else { json!({"a": target.take()}) };
            }
        }
        (_, target) => *target = interesting(words, random),
    }
}

/// A key with one letter more, less or other: what the suggestions are for.
fn misspell(fields: &mut Map<String, Value>, random: &mut Random) {
    let Some(key) = fields.keys().nth(random.below(fields.len())).cloned() else { return };
    let value = fields.shift_remove(&key).unwrap_or_default();
    let mut letters: Vec<char> = key.chars().collect();
    let at = random.below(letters.len());
    match random.below(3) {
        0 => letters.insert(at.min(letters.len()), 'x'),
        1 if !letters.is_empty() => drop(letters.remove(at)),
        _ => letters.reverse(),
    }
    fields.insert(letters.into_iter().collect(), value);
}

fn interesting(words: &[String], random: &mut Random) -> Value {
    match random.below(16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(0),
        4 => json!(i64::MAX),
        5 => json!(u64::MAX),
        6 => Number::from_f64(1e308).map_or(Value::Null, Value::Number),
        7 => json!(0.5),
        8 => json!(""),
        9 => json!([]),
        10 => json!({}),
        11 => json!("x".repeat(random.below(5000))),
        12 => json!(["", null, {}, []]),
        _ => json!(word(words, random)),
    }
}

fn word(words: &[String], random: &mut Random) -> String {
    random.of(words).cloned().unwrap_or_default()
}

fn picked<'a>(root: &'a Value, random: &mut Random) -> &'a Value {
    let mut value = root;
    for _ in 0..random.below(6) {
        let next = match value {
            Value::Object(fields) => fields.values().nth(random.below(fields.len())),
            Value::Array(items) => items.get(random.below(items.len())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        value = next.unwrap_or(value);
    }
    value
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(size).sum(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// The value at this place in the order of writing.
fn nth<'a>(value: &'a mut Value, place: &mut usize) -> Option<&'a mut Value> {
    if *place == 0 {
        return Some(value);
    }
    *place -= 1;
    match value {
        Value::Object(fields) => fields.values_mut().find_map(|field| nth(field, place)),
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, place)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
