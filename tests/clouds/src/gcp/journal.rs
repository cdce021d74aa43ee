//! What was asked of the stand-in.

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Such as `instances.insert`; `token` for a token server.
    pub operation: String,
    /// Whether it could change something.
    pub changes: bool,
    /// Its path.
    pub path: String,
}
