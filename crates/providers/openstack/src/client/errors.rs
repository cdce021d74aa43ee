//! From OpenStack's refusals to machine codes, as data.

use millwright_api::MachineCode;
use millwright_cloud_http::{ErrorRow, ErrorTable};

const EXHAUSTED: MachineCode = MachineCode::ResourceExhausted;

const ROWS: &[ErrorRow] = &[
    // Throttling in Nova's old words; never ResourceExhausted, or an autoscaler would turn away.
    ErrorRow::message("rate-limited", MachineCode::Unavailable),
    ErrorRow::message("Quota exceeded", EXHAUSTED),
    ErrorRow::message("VolumeSizeExceedsAvailableQuota", EXHAUSTED),
    ErrorRow::message("VolumeLimitExceeded", EXHAUSTED),
    ErrorRow::message("exceeds allowed*quota", EXHAUSTED),
    ErrorRow::code("OverQuota", EXHAUSTED),
    ErrorRow::message("Maximum number of ports exceeded", EXHAUSTED),
    ErrorRow::code("IpAddressGenerationFailure*", EXHAUSTED),
    ErrorRow::message("No more IP addresses", EXHAUSTED),
    ErrorRow::message("No fixed IP addresses available", EXHAUSTED),
    ErrorRow::message("No valid host was found", EXHAUSTED),
    ErrorRow::message("Flavor * could not be found", EXHAUSTED),
    ErrorRow::message("Version * is not supported by the API", MachineCode::FailedPrecondition),
];

/// The rows, before what an HTTP status says by itself.
#[must_use]
pub fn error_table() -> &'static ErrorTable {
    &ErrorTable(ROWS)
}

#[cfg(test)]
mod page;
