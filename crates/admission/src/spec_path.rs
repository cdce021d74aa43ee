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
}
