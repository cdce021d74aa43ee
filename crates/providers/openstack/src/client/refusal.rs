//! What a service says when it refuses: each in its own words, all as one kind of error.

use http::StatusCode;
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, CloudError, Redaction};
use millwright_provider::ProviderError;
use serde_json::Value;

use super::errors::error_table;

/// The name with which messages begin.
pub(crate) const CLOUD: &str = "OpenStack";

/// A call that did not do what it should.
#[derive(Debug)]
pub(crate) enum CallError {
    /// A service refused it.
    Refused(CloudError),
    /// No answer, or one of somebody else.
    Failed(ProviderError),
}

impl CallError {
    /// Whether the service itself says that there is no such thing. An answer of a proxy never says that.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(error) if error.http == 404)
    }

    /// Whether the call certainly had no effect, and the same call would be refused again. Who calls too often, or with a token that
    /// has ended, calls again soon, and needs what was made for it: a volume takes minutes.
    pub(crate) fn is_final(&self) -> bool {
        let comes_again = [401, 408, 429];
        matches!(self, Self::Refused(error) if (400..500).contains(&error.http) && !comes_again.contains(&error.http))
    }
}

impl From<CallError> for ProviderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refused) => refused.of(CLOUD, error_table()),
            CallError::Failed(error) => error,
        }
    }
}

impl From<ProviderError> for CallError {
    fn from(error: ProviderError) -> Self {
        Self::Failed(error)
    }
}

/// The refusal in an answer that is none of success.
pub(crate) fn refusal(operation: &'static str, answer: &Answer, redaction: &Redaction) -> CallError {
    let said = serde_json::from_slice::<Value>(&answer.body).ok();
    let (code, message) = said.as_ref().and_then(words).unwrap_or_default();
    let error = CloudError {
        operation,
        http: answer.status.as_u16(),
        code: code.to_owned(),
        message: redaction.redact(message),
        request_id: answer.request_id().map(str::to_owned),
        retry_after: answer.retry_after,
    };
    if code.is_empty() && answer.status == StatusCode::NOT_FOUND {
        return strange(
            &error,
            "is not an answer of the service; is the catalogue right, or a proxy in the way?",
        );
    }
    CallError::Refused(error)
}

/// An answer that can not be read as what it should be.
pub(crate) fn unreadable(
    operation: &'static str,
    answer: &Answer,
    error: &serde_json::Error,
    redaction: &Redaction,
) -> CallError {
    let error = CloudError {
        operation,
        http: answer.status.as_u16(),
        code: String::new(),
        message: redaction.redact(&format!("the answer can't be read: {error}")),
        request_id: answer.request_id().map(str::to_owned),
        retry_after: answer.retry_after,
    };
    CallError::Failed(error.with_code(CLOUD, MachineCode::Unavailable))
}

fn strange(error: &CloudError, what: &str) -> CallError {
    let error = CloudError { message: format!("HTTP status {} {what}", error.http), ..error.clone() };
    CallError::Failed(error.with_code(CLOUD, MachineCode::Unavailable))
}

/// Code and message in the words of Nova and Cinder (`{"forbidden": {"message": ..}}`), Keystone (`{"error": {"title": ..}}`)
/// or Neutron (`{"NeutronError": {"type": ..}}`).
fn words(said: &Value) -> Option<(&str, &str)> {
    let (key, inner) = said.as_object()?.iter().find(|(_, inner)| inner.get("message").is_some())?;
    let text = |name: &str| inner.get(name).and_then(Value::as_str);
    let code = match key.as_str() {
        "NeutronError" => text("type").unwrap_or(key),
        "error" => text("title").unwrap_or(key),
        other => other,
    };
    Some((code, text("message").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert("x-openstack-request-id", "req-1".parse().unwrap());
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers, body: body.as_bytes().to_vec(), retry_after: None }
    }

    fn judged(status: u16, body: &Value) -> ProviderError {
        refusal("servers.create", &answer(status, &body.to_string()), &Redaction::default()).into()
    }

    /// A row for each of the table, in the words that the services use.
    #[test]
    fn what_the_services_say_has_its_machine_code() {
        let nova = |key: &str, message: &str| json!({ key: { "code": 1, "message": message } });
        let neutron = |kind: &str, message: &str| json!({ "NeutronError": { "type": kind, "message": message, "detail": "" } });
        let exhausted = MachineCode::ResourceExhausted;
        let rows = [
            (413, nova("overLimit", "This request was rate-limited."), MachineCode::Unavailable),
            (
                403,
                nova("forbidden", "Quota exceeded for cores: Requested 2, but already used 20 of 20 cores"),
                exhausted,
            ),
            (
                413,
                nova("overLimit", "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds"),
                exhausted,
            ),
            (
                413,
                nova("overLimit", "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded"),
                exhausted,
            ),
            (413, nova("overLimit", "Requested volume exceeds allowed gigabytes quota."), exhausted),
            (409, neutron("OverQuota", "Quota exceeded for resources: ['port']."), exhausted),
            (409, neutron("OverQuota", "in other words"), exhausted),
            (403, nova("forbidden", "Maximum number of ports exceeded"), exhausted),
            (409, neutron("IpAddressGenerationFailure", "said elsewhere"), exhausted),
            (409, neutron("IpAddressGenerationFailureAllSubnets", "said elsewhere"), exhausted),
            (409, neutron("Other", "No more IP addresses available on network n."), exhausted),
            (400, nova("badRequest", "No fixed IP addresses available for network: n"), exhausted),
            (
                500,
                nova("computeFault", "No valid host was found. There are not enough hosts available."),
                exhausted,
            ),
            (400, nova("badRequest", "Flavor m9 could not be found."), exhausted),
            (
                406,
                nova("computeFault", "Version 2.69 is not supported by the API. Minimum is 2.1"),
                MachineCode::FailedPrecondition,
            ),
            (400, nova("badRequest", "Invalid key_name provided."), MachineCode::InvalidArgument),
            (403, nova("forbidden", "Policy doesn't allow it"), MachineCode::PermissionDenied),
            (404, nova("itemNotFound", "Instance x could not be found."), MachineCode::NotFound),
            (409, nova("conflictingRequest", "while it is in vm_state building"), MachineCode::Aborted),
            (
                401,
                json!({ "error": { "code": 401, "message": "m", "title": "Unauthorized" } }),
                MachineCode::Unauthenticated,
            ),
            (429, json!({}), MachineCode::Unavailable),
            (503, json!(null), MachineCode::Unavailable),
        ];
        for (status, body, code) in rows {
            let error = judged(status, &body);
            assert_eq!(error.code, code, "{status} {body}");
            assert!(error.message.ends_with("(request req-1)"), "{error}");
        }
    }

    #[test]
    fn a_cloud_that_is_busy_does_not_cost_the_volume_that_was_made() {
        let is_final =
            |status| refusal("servers.create", &answer(status, "{}"), &Redaction::default()).is_final();
        assert_eq!([400, 403, 409, 413].map(is_final), [true; 4]);
        assert_eq!([401, 404, 408, 429, 500, 503].map(is_final), [false; 6]);
    }

    #[test]
    fn an_answer_of_somebody_else_never_means_not_found() {
        for body in ["<html>404</html>", "", "{}", "{\"message\": \"no route\"}"] {
            let error = refusal("servers.show", &answer(404, body), &Redaction::default());
            assert!(!error.is_not_found());
            assert_eq!(ProviderError::from(error).code, MachineCode::Unavailable, "{body}");
        }
    }

    #[test]
    fn what_a_service_repeats_of_a_request_is_redacted() {
        let body = json!({ "badRequest": { "message": "Value: hush-hush is too long" } }).to_string();
        let error = refusal("servers.create", &answer(400, &body), &Redaction::of(["hush-hush"]));
        assert!(!ProviderError::from(error).message.contains("hush"));
    }
}
