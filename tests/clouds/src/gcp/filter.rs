//! The parameter `filter`: `labels.KEY:*`, `labels.KEY=VALUE`, `name=VALUE`, `status=VALUE`, joined by AND. Of the rest of
//! Google's language nothing is understood, and that is said.

use serde_json::Value;

/// Conditions that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    path: Vec<String>,
    /// `None` for anything.
    value: Option<String>,
}

impl Filter {
    /// Reads the parameter; `None` when it can not be read.
    pub(super) fn read(text: &str) -> Option<Self> {
        let conditions = text.split(" AND ").map(|condition| {
            let condition = condition.trim();
            let inner =
                condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(condition);
            let (path, value) = match inner.split_once(":*") {
                Some((path, "")) => (path, None),
                _ => inner.split_once('=').map(|(path, value)| (path, Some(value)))?,
            };
            let value = value.map(|value| value.trim().trim_matches('"').to_owned());
            let path = path.trim();
            let known = matches!(path, "name" | "status")
                || path.strip_prefix("labels.").is_some_and(|key| !key.is_empty());
            known.then(|| Condition { path: path.splitn(2, '.').map(str::to_owned).collect(), value })
        });
        conditions.collect::<Option<_>>().map(Self)
    }

    pub(super) fn fits(&self, resource: &Value) -> bool {
        self.0.iter().all(|condition| {
            let found =
                condition.path.iter().try_fold(resource, |value, key| value.get(key)).and_then(Value::as_str);
            found.is_some_and(|found| condition.value.as_ref().is_none_or(|wanted| wanted == found))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn resources_are_chosen_by_name_and_labels() {
        let disk = json!({ "name": "d", "labels": { "machine_name": "w-1" } });
        for (text, fits) in [
            ("labels.machine_name:*", true),
            ("labels.machine_name=w-1", true),
            ("(labels.machine_name = \"w-1\") AND (name=d)", true),
            ("labels.machine_name=w-10", false),
            ("labels.other:*", false),
            ("name=d AND labels.other=x", false),
        ] {
            assert_eq!(Filter::read(text).unwrap().fits(&disk), fits, "{text}");
        }
        for text in ["", "tags.items=x", "name", "name=a OR name=b x", "labels.=a"] {
            assert!(Filter::read(text).is_none_or(|filter| !filter.fits(&disk)), "{text}");
        }
    }
}
