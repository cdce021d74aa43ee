//! A call as the proxy sees it.

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::Value;

/// One request to a stand-in.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its method.
    pub method: Method,
    /// The address that it is forwarded to, such as `http://127.0.0.1:40001`.
    pub upstream: String,
    /// Its path with its query.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Call {
    /// Its body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Its body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A field of a form in its body, such as `Action`, without decoding what it says.
    pub fn form_field(&self, name: &str) -> Option<String> {
        let text = self.text();
        let mut fields = text.split('&').filter_map(|field| field.split_once('='));
        fields.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
    }

    /// For HTTP APIs that read with GET and HEAD and change with everything else.
    pub fn reads_by_method(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }

    /// For EC2's query protocol.
    pub fn reads_by_action(&self) -> bool {
        self.form_field("Action").is_some_and(|action| {
            action.starts_with("Describe") || action.starts_with("Get") || action.starts_with("AssumeRole")
        })
    }

    /// For OpenStack: a new token changes nothing.
    pub fn reads_in_openstack(&self) -> bool {
        self.reads_by_method() || self.path.ends_with("/auth/tokens")
    }
}

/// How many calls there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls that change nothing.
    pub reading: usize,
    /// All others.
    pub changing: usize,
}
