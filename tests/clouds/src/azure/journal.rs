//! What was asked, for tests that count calls.

use http::Method;

/// A request that arrived, whatever came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// What it asks for, such as `PUT virtualMachines` or `token`.
    pub operation: String,
}

impl Entry {
    /// Whether it could change something.
    #[must_use]
    pub fn is_changing(&self) -> bool {
        // A token is asked for with POST.
        !matches!(self.method, Method::GET | Method::HEAD) && self.operation != "token"
    }
}
