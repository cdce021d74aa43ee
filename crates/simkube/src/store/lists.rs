//! Lists: of now, of the past, in pages.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::Store;
use crate::{kind::ResourceKind, object, refusal::Refusal, selector::Selector};

/// Which state is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// The latest.
    Now,
    /// As of a revision.
    At(u64),
    /// As it was so many writes ago.
    Behind(u64),
}

impl Past {
    pub(crate) fn revision(self, store: &Store) -> u64 {
        match self {
            Self::Now => store.revision,
            Self::At(revision) => revision,
            Self::Behind(writes) => store.revision.saturating_sub(writes),
        }
    }
}

/// What a list asks for beside its selectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListQuery {
    pub(crate) limit: Option<usize>,
    pub(crate) continue_token: Option<String>,
    pub(crate) resource_version: Option<String>,
    pub(crate) version_match: Option<String>,
}

/// Where the next page starts, and of which state.
struct Page {
    revision: u64,
    after: Option<String>,
}

impl Store {
    pub(crate) fn list(
        &self,
        kind: &ResourceKind,
        selector: &Selector,
        query: &ListQuery,
        past: Past,
    ) -> Result<Value, Refusal> {
        let page = self.page(query, past)?;
        // Version 0 is answered from a cache that knows no pages.
        let from_cache = query.continue_token.is_none() && query.resource_version.as_deref() == Some("0");
        let limit = query.limit.filter(|limit| *limit > 0 && !from_cache).unwrap_or(usize::MAX);
        let mut left = self
            .all(kind, Past::At(page.revision))
            .filter(|(key, _)| page.after.as_deref().is_none_or(|after| *key > after))
            .filter(|(_, object)| selector.selects(object));
        let shown: Vec<_> = left.by_ref().take(limit).collect();
        let remaining = left.count();
        let mut metadata = json!({ "resourceVersion": page.revision.to_string() });
        if let (Some((last, _)), true) = (shown.last(), remaining > 0) {
            metadata["continue"] = json!(token(page.revision, last));
            if !selector.is_narrow() {
                metadata["remainingItemCount"] = json!(remaining);
            }
        }
        let items: Vec<Value> = shown.into_iter().map(|(_, object)| item(kind, &object)).collect();
        Ok(json!({
            "kind": format!("{}List", kind.kind),
            "apiVersion": kind.api_version(),
            "metadata": metadata,
            "items": items,
        }))
    }

    fn page(&self, query: &ListQuery, past: Past) -> Result<Page, Refusal> {
        let asked = match query.resource_version.as_deref() {
            None | Some("") => None,
            Some(text) => Some(text.parse::<u64>().map_err(|_| {
                Refusal::bad_request(format!("Invalid value: {text:?}: it must be a number"))
            })?),
        };
        if let Some(token) = query.continue_token.as_deref().filter(|token| !token.is_empty()) {
            if asked.is_some_and(|version| version != 0) {
                return Err(Refusal::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            return self.next_page(token);
        }
        let current = past.revision(self);
        let Some(asked) = asked else {
            return match query.version_match.as_deref().filter(|text| !text.is_empty()) {
                Some(_) => Err(Refusal::invalid_options(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                )),
                None => Ok(Page { revision: current, after: None }),
            };
        };
        if asked > self.revision {
            return Err(too_large(asked, self.revision));
        }
        let is_exact = match query.version_match.as_deref() {
            Some("Exact") if asked == 0 => {
                return Err(Refusal::invalid_options(
                    "resourceVersionMatch",
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ));
            }
            Some("Exact") => true,
            Some("NotOlderThan") => false,
            // As it was before there was a choice.
            _ => query.limit.is_some_and(|limit| limit > 0) && asked > 0,
        };
        if !is_exact {
            return Ok(Page { revision: current, after: None });
        }
        if asked < self.compacted {
            return Err(expired("The resourceVersion for the provided list is too old."));
        }
        Ok(Page { revision: asked, after: None })
    }

    fn next_page(&self, token: &str) -> Result<Page, Refusal> {
        let Some(page) = read_token(token) else {
            return Err(Refusal::bad_request("continue key is not valid"));
        };
        if page.revision < self.compacted {
            let mut refusal = expired(
                "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results.",
            );
            refusal.continue_token = page.after.map(|after| token_of(-1, &after));
            return Err(refusal);
        }
        Ok(if page.revision == u64::MAX { Page { revision: self.revision, ..page } } else { page })
    }
}

/// Items of built-in lists don't repeat their type.
fn item(kind: &ResourceKind, object: &Value) -> Value {
    let mut item = object.clone();
    if let (false, Some(fields)) = (kind.is_custom(), item.as_object_mut()) {
        object::put_top(fields, "kind", None);
        object::put_top(fields, "apiVersion", None);
    }
    item
}

fn token(revision: u64, last: &str) -> String {
    token_of(i64::try_from(revision).unwrap_or(-1), last)
}

fn token_of(revision: i64, last: &str) -> String {
    let content = json!({ "v": "meta.k8s.io/v1", "rv": revision, "start": format!("{last}\u{0}") });
    URL_SAFE_NO_PAD.encode(content.to_string())
}

fn read_token(token: &str) -> Option<Page> {
    let content: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let after = content["start"].as_str()?.trim_end_matches('\u{0}').to_owned();
    // A token that gives up consistency goes on with whatever is there.
    let revision = u64::try_from(content["rv"].as_i64()?).unwrap_or(u64::MAX);
    Some(Page { revision, after: Some(after) })
}

fn expired(message: &str) -> Refusal {
    Refusal::new(410, "Expired", message)
}

fn too_large(asked: u64, current: u64) -> Refusal {
    let mut refusal =
        Refusal::new(504, "Timeout", format!("Too large resource version: {asked}, current: {current}"));
    *refusal.details = json!({
        "retryAfterSeconds": 1,
        "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }],
    });
    refusal
}
