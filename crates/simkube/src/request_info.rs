//! What is known of a request before it is carried out.

use std::fmt;

use crate::verb::Verb;

/// What is known of a request before it is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestInfo {
    /// Counts the requests of all clients, from 1.
    pub number: u64,
    /// Whose client asked.
    pub who: String,
    /// What it wants.
    pub verb: Verb,
    /// API group; empty for the core group.
    pub group: String,
    /// Plural name, such as `machines`; the path for what is no resource, such as `/version`.
    pub resource: String,
    /// `status`, `scale`, `eviction` or empty.
    pub subresource: String,
    /// Namespace; empty for cluster-wide requests.
    pub namespace: String,
    /// Object; empty for collections, and at creation when the server makes the name.
    pub name: String,
    /// Whether it may change something.
    pub is_write: bool,
}

impl fmt::Display for RequestInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{} {}: {} {}", self.number, self.who, self.verb, self.resource)?;
        for part in [&self.subresource, &self.namespace, &self.name] {
            if !part.is_empty() {
                write!(f, "/{part}")?;
            }
        }
        Ok(())
    }
}
