//! One page of a list: its items, and where the next begins.

use millwright_cloud_http::Answer;
use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

/// What a page holds.
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Marker of the next page.
    pub(crate) next: Option<String>,
}

impl<T: DeserializeOwned> Page<T> {
    /// Reads `{NAME: [..], NAME_links: [{rel: next, href: ..}]}`, or Glance's `{NAME: [..], next: ..}`.
    pub(crate) fn read(answer: &Answer, name: &str) -> Result<Self, serde_json::Error> {
        let mut body: Value = answer.json()?;
        let links = body.get(format!("{name}_links")).and_then(Value::as_array);
        let next =
            links.into_iter().flatten().find(|link| link.get("rel").and_then(Value::as_str) == Some("next"));
        let next =
            next.and_then(|link| link.get("href")).or_else(|| body.get("next")).and_then(Value::as_str);
        let next = match next {
            Some(href) => {
                Some(marker(href).ok_or_else(|| serde_json::Error::custom("its next page has no marker"))?)
            }
            None => None,
        };
        let items = body.get_mut(name).map(Value::take);
        let items = items.ok_or_else(|| serde_json::Error::custom(format!("it has no {name:?}")))?;
        Ok(Self { items: serde_json::from_value(items)?, next })
    }
}

/// The marker in a link. Those are ids, which need no escapes.
fn marker(href: &str) -> Option<String> {
    let (_, query) = href.split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix("marker=")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<(Vec<u32>, Option<String>), serde_json::Error> {
        let body = body.to_string().into_bytes();
        let answer = Answer { status: StatusCode::OK, headers: HeaderMap::new(), body, retry_after: None };
        Page::read(&answer, "servers").map(|page: Page<u32>| (page.items, page.next))
    }

    #[test]
    fn the_next_page_is_named_by_its_marker_whatever_host_the_link_names() {
        let link = json!([{ "rel": "self", "href": "x" }, { "rel": "next", "href": "http://inside/v2.1/servers?limit=2&marker=b-2" }]);
        let (items, next) = read(&json!({ "servers": [1, 2], "servers_links": link })).unwrap();
        assert_eq!((items, next.as_deref()), (vec![1, 2], Some("b-2")));
        assert_eq!(
            read(&json!({ "servers": [], "next": "/v2/images?marker=c" })).unwrap().1.as_deref(),
            Some("c")
        );
        assert_eq!(read(&json!({ "servers": [3] })).unwrap(), (vec![3], None));
    }

    #[test]
    fn half_a_page_is_an_error() {
        assert!(read(&json!({})).is_err());
        assert!(read(&json!({ "servers": [1], "servers_links": [{ "rel": "next", "href": "x" }] })).is_err());
    }
}
