//! Label selectors, in the form of a query (`a=b,c in (d,e),!f`) and as objects (`matchLabels`, `matchExpressions`).

use serde_json::Value;

use crate::refusal::Refusal;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    label: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    /// Reads a query.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let parts = split_outside_brackets(text);
        let requirements = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        requirements
            .map(|part| requirement(part).ok_or_else(|| unreadable(text, part)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Reads an object; an empty one selects everything, one that is wrong or missing nothing.
    pub(crate) fn from_object(selector: &Value) -> Option<Self> {
        selector.as_object()?;
        let mut requirements = Vec::new();
        for (label, value) in selector["matchLabels"].as_object().into_iter().flatten() {
            let values = vec![value.as_str()?.to_owned()];
            requirements.push(Requirement { label: label.clone(), operator: Operator::In, values });
        }
        for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
            let operator = match expression["operator"].as_str()? {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                _ => return None,
            };
            let values = expression["values"].as_array().into_iter().flatten();
            requirements.push(Requirement {
                label: expression["key"].as_str()?.to_owned(),
                operator,
                values: values.filter_map(Value::as_str).map(str::to_owned).collect(),
            });
        }
        Some(Self(requirements))
    }

    pub(crate) fn selects(&self, labels: &Value) -> bool {
        self.0.iter().all(|requirement| {
            let found = labels[&requirement.label].as_str();
            let is_named = found.is_some_and(|value| requirement.values.iter().any(|named| named == value));
            match requirement.operator {
                Operator::In => is_named,
                Operator::NotIn => !is_named,
                Operator::Exists => found.is_some(),
                Operator::DoesNotExist => found.is_none(),
            }
        })
    }
}

fn unreadable(text: &str, part: &str) -> Refusal {
    Refusal::bad_request(format!("unable to parse requirement: {text:?}: can't understand {part:?}"))
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (place, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn requirement(part: &str) -> Option<Requirement> {
    let one = |label: &str, operator, values| {
        let label = label.trim();
        let is_label =
            !label.is_empty() && !label.contains(|c: char| c.is_whitespace() || "()!=,".contains(c));
        is_label.then(|| Requirement { label: label.to_owned(), operator, values })
    };
    if let Some(list) = part.strip_suffix(')') {
        let (head, list) = list.split_once('(')?;
        let (label, word) = head.trim().rsplit_once(char::is_whitespace)?;
        let operator = match word {
            "in" => Operator::In,
            "notin" => Operator::NotIn,
            _ => return None,
        };
        return one(label, operator, list.split(',').map(|value| value.trim().to_owned()).collect());
    }
    if let Some((label, value)) = part.split_once("!=") {
        return one(label, Operator::NotIn, vec![value.trim().to_owned()]);
    }
    if let Some((label, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return one(label, Operator::In, vec![value.trim().to_owned()]);
    }
    if let Some(label) = part.strip_prefix('!') {
        return one(label, Operator::DoesNotExist, Vec::new());
    }
    one(part, Operator::Exists, Vec::new())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn queries_select_as_the_api_server_does() {
        let labels = json!({"app": "web", "tier": "front"});
        let table = [
            ("", true),
            ("app=web", true),
            ("app==web,tier=front", true),
            ("app=web,tier=back", false),
            ("app!=db", true),
            ("none!=db", true),
            ("app in (db, web),tier", true),
            ("app notin (web)", false),
            ("none notin (web)", true),
            ("!none", true),
            ("!app", false),
            ("none", false),
        ];
        for (query, selected) in table {
            assert_eq!(LabelSelector::parse(query).unwrap().selects(&labels), selected, "{query}");
        }
        for query in ["a b", "a in web", "a=b=c)", "=x"] {
            assert!(LabelSelector::parse(query).is_err(), "{query}");
        }
    }

    #[test]
    fn an_empty_selector_object_selects_everything_and_a_missing_one_nothing() {
        assert!(LabelSelector::from_object(&json!({})).unwrap().selects(&json!({})));
        assert!(LabelSelector::from_object(&Value::Null).is_none());
        let selector = json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]});
        assert!(LabelSelector::from_object(&selector).unwrap().selects(&json!({"a": "c"})));
        assert!(!LabelSelector::from_object(&selector).unwrap().selects(&json!({"a": "b"})));
    }
}
