//! Where the field of a path such as `spec.template.metadata.labels[pool]` was written.

use crate::yaml::{Content, Node, Place};

/// The place of the field's key, or of the nearest field above it that is there.
pub(crate) fn place_of(root: &Node, path: &str) -> Place {
    let (mut place, mut node, mut rest) = (root.place, root, path);
    loop {
        let next = match &node.content {
            // Keys may hold dots and brackets, so the longest that fits is meant.
            Content::Map(entries) => entries
                .iter()
                .filter_map(|entry| Some((entry.place, &entry.node, after_key(rest, &entry.key)?)))
                .min_by_key(|(_, _, rest)| rest.len()),
            Content::List(items) => after_index(rest)
                .and_then(|(index, rest)| items.get(index).map(|item| (item.place, item, rest))),
            Content::Scalar(_) | Content::Merge => None,
        };
        let Some((there, below, left)) = next else { return place };
        (place, node, rest) = (there, below, left);
    }
}

/// What follows `key`, `.key` or `[key]` at the start of a path.
fn after_key<'a>(path: &'a str, key: &str) -> Option<&'a str> {
    if let Some(rest) = path.strip_prefix('[') {
        return rest.strip_prefix(key)?.strip_prefix(']');
    }
    let rest = path.strip_prefix('.').unwrap_or(path).strip_prefix(key)?;
    (!key.is_empty() && (rest.is_empty() || rest.starts_with(['.', '[']))).then_some(rest)
}

fn after_index(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::documents;

    #[test]
    fn the_key_of_a_field_is_found_or_the_nearest_above_it() {
        let text =
            "spec:\n  a.b: 1\n  labels: {x/y: \"1\", \"p[q]\": 2}\n  list:\n  - name: n\n  - {name: m}\n";
        let document = documents(text).remove(0).unwrap();
        for (path, line, column) in [
            ("", 1, 1),
            ("gone", 1, 1),
            ("spec", 1, 1),
            ("spec.gone.x", 1, 1),
            ("spec[a.b]", 2, 3),
            ("spec.a.b", 2, 3),
            ("spec.labels[x/y]", 3, 12),
            ("spec.labels[p[q]]", 3, 22),
            ("spec.labels[none]", 3, 3),
            ("spec.list[0].name", 5, 5),
            ("spec.list[1]", 6, 5),
            ("spec.list[1].name", 6, 6),
            ("spec.list[7].name", 4, 3),
        ] {
            assert_eq!(place_of(&document.root, path), Place { line, column }, "{path}");
        }
    }
}
