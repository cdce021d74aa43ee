//! Asks whether an API server answers: for start-up, where a wrong kubeconfig must be told apart from a
//! server that is still coming up, for readiness, and for the freeze.

use std::time::Duration;

use http::Request;
use kube::Client;

use crate::client::{Side, explain};

/// Why an API server can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// It does not answer, or says that it is not well. Trying again can help.
    #[error("{side}: the API server does not answer: {reason}; check that it runs and can be reached, or {}", advice(*side))]
    Unreachable {
        /// Which cluster.
        side: Side,
        /// What happened.
        reason: String,
    },
    /// It does not know these credentials. Trying again does not help.
    #[error("{side}: the API server refuses the credentials: {reason}; {}", advice(*side))]
    Refused {
        /// Which cluster.
        side: Side,
        /// What it said.
        reason: String,
    },
}

fn advice(side: Side) -> String {
    format!("correct {}", side.flag())
}

/// Asks the API server for its version, as any client may, and waits no longer than `limit`.
///
/// # Errors
/// Says what to do.
pub async fn probe(side: Side, client: &Client, limit: Duration) -> Result<(), ProbeError> {
    let unreachable = |reason| ProbeError::Unreachable { side, reason };
    // Not /healthz: it fails for one sick check of many, and some clusters close it to clients.
    let request =
        Request::get("/version").body(Vec::new()).map_err(|error| unreachable(error.to_string()))?;
    match tokio::time::timeout(limit, client.request_text(request)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(kube::Error::Api(status))) if status.code == 401 => {
            Err(ProbeError::Refused { side, reason: status.message.clone() })
        }
        // Whoever forbids has answered.
        Ok(Err(kube::Error::Api(status))) if status.code == 403 => Ok(()),
        Ok(Err(error)) => Err(unreachable(explain(&error))),
        Err(_) => Err(unreachable(format!("no answer within {limit:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Response;
    use kube::client::Body;
    use tower::{BoxError, service_fn};

    const LIMIT: Duration = Duration::from_secs(5);

    async fn answered(code: u16, body: &'static str) -> Result<(), ProbeError> {
        let service = service_fn(move |request: Request<Body>| async move {
            assert_eq!(request.uri().path(), "/version");
            let body = Body::from(body.as_bytes().to_vec());
            Ok::<_, BoxError>(Response::builder().status(code).body(body)?)
        });
        probe(Side::Target, &Client::new(service, "ns"), LIMIT).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_answers_or_forbids_is_reachable() {
        assert!(answered(200, "{}").await.is_ok());
        assert!(answered(403, "").await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn refused_credentials_are_told_apart_from_a_server_that_is_ill() {
        let refused = answered(401, "").await.expect_err("refused");
        assert!(matches!(refused, ProbeError::Refused { .. }), "{refused}");
        assert!(refused.to_string().contains("--target-kubeconfig"), "{refused}");
        assert!(matches!(answered(503, "").await, Err(ProbeError::Unreachable { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_nothing_is_unreachable() {
        let service =
            service_fn(|_: Request<Body>| std::future::pending::<Result<Response<Body>, BoxError>>());
        let error = probe(Side::Control, &Client::new(service, "ns"), LIMIT).await.expect_err("silent");
        assert!(error.to_string().contains("no answer within 5s"), "{error}");
    }
}
