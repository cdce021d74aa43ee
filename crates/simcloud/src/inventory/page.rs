//! Filters and pages of lists.
//!
//! A page token is the sequence number of the last item shown: nothing is shown twice or skipped
//! while things come and go between two pages.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Inventory;
use crate::refusal::Refusal;
use crate::vm::{Vm, VmView};

const DEFAULT_PAGE: usize = 100;
const LARGEST_PAGE: usize = 1000;

/// What a list is asked for; all criteria must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Tags that must be there with exactly this value.
    pub tags: Vec<(String, String)>,
    /// Keys of tags that must be there with any value.
    pub tag_keys: Vec<String>,
    /// Prefixes with which some tag key must begin.
    pub tag_prefixes: Vec<String>,
    /// The name.
    pub name: Option<String>,
    /// The client token (VMs only).
    pub client_token: Option<String>,
    /// Items a page, 1 to 1000; 100 when absent.
    pub page_size: Option<usize>,
    /// From the page before.
    pub page_token: Option<String>,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items, in order of creation.
    pub items: Vec<T>,
    /// Asks for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

impl Filter {
    /// Reads the query of a list request.
    pub(crate) fn from_query(query: Vec<(String, String)>) -> Result<Self, Refusal> {
        let mut filter = Self::default();
        for (key, value) in query {
            match key.as_str() {
                "tag" => {
                    let (tag, value) = value
                        .split_once('=')
                        .ok_or_else(|| Refusal::invalid(format!("tag: {value:?} is not key=value")))?;
                    filter.tags.push((tag.to_owned(), value.to_owned()));
                }
                "tagKey" => filter.tag_keys.push(value),
                "tagPrefix" => filter.tag_prefixes.push(value),
                "name" => filter.name = Some(value),
                "clientToken" => filter.client_token = Some(value),
                "pageSize" => {
                    let size = value.parse().ok().filter(|size| (1..=LARGEST_PAGE).contains(size));
                    let wrong =
                        || Refusal::invalid(format!("pageSize: {value:?} is not 1 to {LARGEST_PAGE}"));
                    filter.page_size = Some(size.ok_or_else(wrong)?);
                }
                "pageToken" => filter.page_token = Some(value),
                _ => {
                    let known = "tag, tagKey, tagPrefix, name, clientToken, pageSize and pageToken";
                    return Err(Refusal::invalid(format!("{key}: no such filter; there are {known}")));
                }
            }
        }
        Ok(filter)
    }

    pub(super) fn matches(&self, name: &str, tags: &BTreeMap<String, String>) -> bool {
        self.name.as_deref().is_none_or(|wanted| wanted == name)
            && self.tags.iter().all(|(key, value)| tags.get(key) == Some(value))
            && self.tag_keys.iter().all(|key| tags.contains_key(key))
            && self.tag_prefixes.iter().all(|prefix| tags.keys().any(|key| key.starts_with(prefix.as_str())))
    }

    fn after(&self) -> Result<u64, Refusal> {
        let Some(token) = &self.page_token else { return Ok(0) };
        let bytes = URL_SAFE_NO_PAD.decode(token).ok();
        let seq = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).and_then(|text| text.parse().ok());
        seq.ok_or_else(|| Refusal::invalid("pageToken: not a token of this cloud"))
    }
}

impl Inventory {
    /// A page of the VMs that match and that lists show already.
    pub(crate) fn list_vms(&self, filter: &Filter, now: Timestamp) -> Result<Page<VmView>, Refusal> {
        let of_filter = |vm: &&Vm| {
            vm.listed_from <= now
                && filter.client_token.as_deref().is_none_or(|wanted| wanted == vm.client_token)
                && filter.matches(&vm.name, &vm.tags)
        };
        cut(&self.vms, filter, of_filter, Vm::summary)
    }
}

/// The page that the filter asks for.
pub(super) fn cut<T, V>(
    all: &BTreeMap<u64, T>,
    filter: &Filter,
    matches: impl Fn(&&T) -> bool,
    show: impl Fn(&T) -> V,
) -> Result<Page<V>, Refusal> {
    let size = filter.page_size.unwrap_or(DEFAULT_PAGE);
    let mut rest = all.range(filter.after()? + 1..).filter(|(_, item)| matches(item));
    let mut last = 0;
    let mut items = Vec::new();
    for (seq, item) in rest.by_ref().take(size) {
        last = *seq;
        items.push(show(item));
    }
    let next_page_token = rest.next().map(|_| URL_SAFE_NO_PAD.encode(last.to_string()));
    Ok(Page { items, next_page_token })
}
