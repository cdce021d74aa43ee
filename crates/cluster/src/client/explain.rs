//! A client's error in one line that a person can read.

use std::error::Error;

/// What went wrong, without the dumps that kube's own texts carry.
#[must_use]
pub fn explain(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if status.message.is_empty() => {
            format!("the API server answered {} {}", status.code, status.reason).trim_end().to_owned()
        }
        kube::Error::Api(status) => status.message.clone(),
        kube::Error::Service(error) => chain(error.as_ref()),
        other => chain(other),
    }
}

/// An error with all its causes.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        // Some errors print their cause themselves.
        if !text.ends_with(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::core::Status;

    #[test]
    fn an_api_error_reads_as_the_server_said_it() {
        let said = Status { message: "machines \"a\" not found".into(), code: 404, ..Status::default() };
        assert_eq!(explain(&kube::Error::Api(Box::new(said))), "machines \"a\" not found");
        let silent = Status { code: 503, ..Status::default() };
        assert_eq!(explain(&kube::Error::Api(Box::new(silent))), "the API server answered 503");
    }

    #[test]
    fn causes_are_listed_once() {
        let io = std::io::Error::other("connection refused");
        assert_eq!(explain(&kube::Error::Service(Box::new(io))), "connection refused");
    }
}
