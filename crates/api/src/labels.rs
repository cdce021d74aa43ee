//! Label selectors: matching, and the text form that queries and the scale subresource take.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

/// Why a selector can not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError {
    key: String,
    operator: String,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "selector: operator {:?} of key {:?} is not one of In, NotIn, Exists, DoesNotExist",
            self.operator, self.key
        )
    }
}

impl std::error::Error for SelectorError {}

/// Whether labels match a selector. An empty selector matches everything.
///
/// # Errors
/// When an expression has an operator that nobody defined.
pub fn matches_selector(
    selector: &LabelSelector,
    labels: Option<&BTreeMap<String, String>>,
) -> Result<bool, SelectorError> {
    let value = |key: &str| labels.and_then(|labels| labels.get(key));
    for (key, wanted) in selector.match_labels.iter().flatten() {
        if value(key) != Some(wanted) {
            return Ok(false);
        }
    }
    for expression in selector.match_expressions.iter().flatten() {
        let found = value(&expression.key);
        let listed = found.is_some_and(|found| expression.values.iter().flatten().any(|v| v == found));
        let holds = match expression.operator.as_str() {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => found.is_some(),
            "DoesNotExist" => found.is_none(),
            other => return Err(SelectorError { key: expression.key.clone(), operator: other.into() }),
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The selector as a query, for example `pool=a,zone in (1,2),!gpu`.
#[must_use]
pub fn selector_to_query(selector: &LabelSelector) -> String {
    let mut terms: Vec<String> =
        selector.match_labels.iter().flatten().map(|(key, value)| format!("{key}={value}")).collect();
    for expression in selector.match_expressions.iter().flatten() {
        let key = &expression.key;
        let values = expression.values.as_deref().unwrap_or_default().join(",");
        terms.push(match expression.operator.as_str() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.clone(),
            _ => format!("!{key}"),
        });
    }
    terms.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;

    fn selector(operator: &str, values: &[&str]) -> LabelSelector {
        LabelSelector {
            match_labels: Some([("pool".to_owned(), "a".to_owned())].into()),
            match_expressions: Some(vec![LabelSelectorRequirement {
                key: "zone".into(),
                operator: operator.into(),
                values: Some(values.iter().map(|&v| v.to_owned()).collect()),
            }]),
        }
    }

    #[test]
    fn labels_match_as_the_api_server_matches_them() {
        let labels = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect::<BTreeMap<_, _>>()
        };
        let in_zone_1 = labels(&[("pool", "a"), ("zone", "1")]);
        let no_zone = labels(&[("pool", "a")]);
        for (operator, values, zoned, unzoned) in [
            ("In", &["1", "2"][..], true, false),
            ("NotIn", &["1"], false, true),
            ("Exists", &[], true, false),
            ("DoesNotExist", &[], false, true),
        ] {
            let selector = selector(operator, values);
            assert_eq!(matches_selector(&selector, Some(&in_zone_1)), Ok(zoned), "{operator}");
            assert_eq!(matches_selector(&selector, Some(&no_zone)), Ok(unzoned), "{operator}");
        }
        assert!(matches_selector(&selector("Near", &[]), Some(&in_zone_1)).is_err());
        assert_eq!(matches_selector(&LabelSelector::default(), None), Ok(true));
    }

    #[test]
    fn a_selector_prints_as_a_query() {
        assert_eq!(selector_to_query(&selector("In", &["1", "2"])), "pool=a,zone in (1,2)");
    }
}
