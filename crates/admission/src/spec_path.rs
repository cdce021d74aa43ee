//! Paths inside a provider spec, in the spelling of the API server: `providerSpec.disks[0].size`,
//! `providerSpec.tags[kubernetes.io/role/worker]`.

use std::fmt::Write as _;

use serde_json::Value;

/// Adds a key: as `.key` when it looks like the name of a field, else as `[key]`.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let plain =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    // Writing to a String can't fail.
    let _ = if plain { write!(path, ".{key}") } else { write!(path, "[{key}]") };
}

/// Adds a place in a list.
pub(crate) fn push_item(path: &mut String, index: usize) {
    let _ = write!(path, "[{index}]"); // writing to a String can't fail
}

/// The path of a JSON pointer into `root`, which tells keys that are numbers from places in lists.
pub(crate) fn from_pointer(start: &str, pointer: &str, root: &Value) -> String {
    let mut path = start.to_owned();
    let mut here = Some(root);
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        let index = key.parse::<usize>().ok();
        here = match (here, index) {
            (Some(Value::Array(items)), Some(index)) => {
                push_item(&mut path, index);
                items.get(index)
            }
            (other, _) => {
                push_key(&mut path, &key);
                other.and_then(|object| object.get(&key))
            }
        };
    }
    path
}

/// The same path in the words of the author of `root`, who may have written keys in another case.
pub(crate) fn as_written(path: &str, start: &str, root: &Value) -> String {
    let Some(mut rest) = path.strip_prefix(start) else { return path.to_owned() };
    let mut written = start.to_owned();
    let mut here = Some(root);
    while let Some((step, after)) = first_step(rest) {
        match (step, here) {
            (Step::Item(index), Some(Value::Array(items))) => {
                push_item(&mut written, index);
                here = items.get(index);
            }
            (Step::Item(index), _) => push_item(&mut written, index),
            (Step::Key(key), _) => {
                let fields = here.and_then(Value::as_object);
                let field = fields.and_then(|fields| {
                    fields
                        .get_key_value(key)
                        .or_else(|| fields.iter().rfind(|(name, _)| name.eq_ignore_ascii_case(key)))
                });
                push_key(&mut written, field.map_or(key, |(name, _)| name));
                here = field.map(|(_, value)| value);
            }
        }
        rest = after;
    }
    written.push_str(rest);
    written
}

enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

fn first_step(path: &str) -> Option<(Step<'_>, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let (key, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
        return Some((Step::Key(key), after));
    }
    let (inside, after) = path.strip_prefix('[')?.split_once(']')?;
    Some((inside.parse().map_or(Step::Key(inside), Step::Item), after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_read_as_field_paths() {
        let spec = json!({"disks": [{"size": 1}], "tags": {"kubernetes.io/role/worker": "1", "7": "x"}});
        for (pointer, want) in [
            ("", "providerSpec"),
            ("/disks/0/size", "providerSpec.disks[0].size"),
            ("/tags/kubernetes.io~1role~1worker", "providerSpec.tags[kubernetes.io/role/worker]"),
            ("/tags/7", "providerSpec.tags.7"),
            ("/gone/x", "providerSpec.gone.x"),
        ] {
            assert_eq!(from_pointer("providerSpec", pointer, &spec), want);
        }
    }

    #[test]
    fn paths_are_told_in_their_authors_spelling() {
        let root =
            json!({"Disks": [{"SIZE": 1}], "tags": {"kubernetes.io/role/Worker": "1"}, "size": 1, "Size": 2});
        for (path, want) in [
            ("providerSpec", "providerSpec"),
            ("providerSpec.disks[0].size", "providerSpec.Disks[0].SIZE"),
            ("providerSpec.disks[1].size", "providerSpec.Disks[1].size"),
            ("providerSpec.size", "providerSpec.size"),
            ("providerSpec.gone[3].x", "providerSpec.gone[3].x"),
            ("providerSpec.tags[kubernetes.io/role/Worker]", "providerSpec.tags[kubernetes.io/role/Worker]"),
            ("providerSpec.disks[", "providerSpec.Disks["),
            ("provider", "provider"),
        ] {
            assert_eq!(as_written(path, "providerSpec", &root), want);
        }
    }
}
