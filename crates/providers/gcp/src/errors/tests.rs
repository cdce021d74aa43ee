use millwright_api::MachineCode;
use millwright_cloud_http::Where;

use super::*;

fn refusal(http: u16, code: &str, message: &str) -> CloudError {
    CloudError {
        operation: "instances.insert",
        http,
        code: code.into(),
        message: message.into(),
        request_id: None,
        retry_after: None,
    }
}

#[test]
fn every_row_decides_what_it_is_about() {
    for row in ERRORS.0 {
        let filled = row.matches.replace('*', " x ");
        let error = match row.at {
            Where::Code => refusal(row.http, &filled, ""),
            Where::Message => refusal(row.http, "other", &format!("it {filled} now")),
        };
        assert_eq!(ERRORS.code_of(&error), row.code, "{row:?}");
    }
}

#[test]
fn the_clouds_words_have_their_codes() {
    for (http, code, message, expected) in [
        (0, "ZONE_RESOURCE_POOL_EXHAUSTED", "", ResourceExhausted),
        (0, "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "", ResourceExhausted),
        (0, "RESOURCE_POOL_EXHAUSTED", "", ResourceExhausted),
        (
            0,
            "QUOTA_EXCEEDED",
            "Quota 'CPUS' exceeded.  Limit: 24.0 in region europe-west1.",
            ResourceExhausted,
        ),
        (403, "quotaExceeded", "Quota 'CPUS' exceeded.", ResourceExhausted),
        (403, "rateLimitExceeded", "Rate Limit Exceeded", Unavailable),
        (429, "rateLimitExceeded", "Quota exceeded for quota metric 'Queries'", Unavailable),
        (403, "forbidden", "Required 'compute.instances.create' permission", PermissionDenied),
        (401, "authError", "Invalid Credentials", Unauthenticated),
        (400, "invalid", "Invalid value for field 'resource.machineType'", InvalidArgument),
        (
            400,
            "invalid",
            "Machine type with name 'x9' does not exist in zone 'europe-west1-b'.",
            ResourceExhausted,
        ),
        (0, "IP_SPACE_EXHAUSTED_WITH_DETAILS", "", ResourceExhausted),
        (0, "UNSUPPORTED_OPERATION", "No available resources in specified reservations", ResourceExhausted),
        (0, "UNSUPPORTED_OPERATION", "", InvalidArgument),
        (0, "VM_MIN_COUNT_NOT_REACHED", "The zone has a stockout", ResourceExhausted),
        (0, "RESOURCE_OPERATION_RATE_EXCEEDED", "Operation rate exceeded for resource", Unavailable),
        (0, "SOMETHING_NEW", "", MachineCode::Internal),
        (503, "backendError", "", Unavailable),
        (404, "notFound", "The resource 'projects/p/global/images/i' was not found", InvalidArgument),
        (
            400,
            "invalidResourceUsage",
            "Resource cannot be deleted if it's protected against deletion.",
            FailedPrecondition,
        ),
    ] {
        assert_eq!(of(&refusal(http, code, message)).code, expected, "{http} {code} {message}");
    }
}

#[test]
fn throttling_is_never_a_lack_of_machines() {
    for http in [403, 429] {
        for code in ["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"] {
            assert_eq!(of(&refusal(http, code, "Quota exceeded")).code, Unavailable, "{http} {code}");
        }
    }
}

#[test]
fn only_a_404_that_names_the_vm_says_that_it_is_gone() {
    for (http, code, message, missing) in [
        (404, "notFound", "The resource 'projects/p/zones/z/instances/w-1' was not found", true),
        (404, "notFound", "The resource 'projects/p/zones/z/instances/w-10' was not found", false),
        (404, "notFound", "The resource 'projects/p' was not found", false),
        (404, "", "w-1", false),
        (403, "notFound", "The resource 'projects/p/zones/z/instances/w-1' was not found", false),
    ] {
        let error = CallError::Refused(refusal(http, code, message));
        assert_eq!(error.says_missing(&["w-1"]), missing, "{http} {code} {message}");
        assert_ne!(ProviderError::from(error).code, MachineCode::NotFound);
    }
}
