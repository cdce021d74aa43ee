//! Why a step could not be done.

use std::fmt;

use kube::core::Status;

use crate::client::explain;

/// A request that an API server did not carry out.
#[derive(Debug)]
pub(crate) struct ExecuteError {
    verb: &'static str,
    kind: &'static str,
    name: String,
    source: Box<kube::Error>,
}

impl ExecuteError {
    pub(crate) fn new(verb: &'static str, kind: &'static str, name: &str, source: kube::Error) -> Self {
        Self { verb, kind, name: name.to_owned(), source: Box::new(source) }
    }

    /// Somebody else wrote the object since it was decided about, as an API server would have said.
    pub(crate) fn overtaken(verb: &'static str, kind: &'static str, name: &str) -> Self {
        let conflict = Status::failure("it has changed meanwhile", "Conflict").with_code(409);
        Self::new(verb, kind, name, kube::Error::Api(conflict.boxed()))
    }

    /// An object of that name exists already.
    pub(crate) fn is_already_exists(&self) -> bool {
        matches!(&*self.source, kube::Error::Api(status) if status.is_already_exists())
    }

    /// The API server answered and refused, so that the request had no effect. An error of the server itself,
    /// such as a time-out of its storage, says nothing about that.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(&*self.source, kube::Error::Api(status) if (400..500).contains(&status.code))
    }

    /// What went wrong, for people who know what was tried.
    pub(crate) fn reason(&self) -> String {
        explain(&self.source)
    }

    /// The API server has read it and does not take it as it is. Trying again helps only when somebody mends something.
    pub(crate) fn is_verdict(&self) -> bool {
        matches!(&*self.source, kube::Error::Api(status) if matches!(status.code, 400 | 403 | 422))
    }

    /// Somebody should read it. A lost race is no news: the next look repairs it.
    pub(crate) fn is_worth_a_line(&self) -> bool {
        !matches!(&*self.source, kube::Error::Api(status) if status.is_conflict() || status.is_not_found())
    }
}

impl fmt::Display for ExecuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}: {}", self.verb, self.kind, self.name, self.source)
    }
}

impl std::error::Error for ExecuteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}
