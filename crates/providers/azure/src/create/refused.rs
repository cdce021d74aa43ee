//! The end of a creation that Azure refused: what this attempt made goes, so that a fallback to other machines leaves nothing.
//!
//! Sent at once and not waited for: what Azure does not take now, the next attempt uses or the machine's deletion removes.

use millwright_api::MachineCode;
use millwright_cloud_http::CloudError;
use millwright_provider::ProviderError;

use super::{Birth, ended};
use crate::errors::{CLOUD, TABLE};
use crate::leftovers;

/// The error for the host, after the clean-up.
pub(super) async fn end(birth: &Birth<'_>, error: &CloudError) -> ProviderError {
    let refusal = error.of(CLOUD, &TABLE);
    let may_go_well_at_once = matches!(
        refusal.code,
        MachineCode::Unavailable
            | MachineCode::Aborted
            | MachineCode::Unauthenticated
            | MachineCode::DeadlineExceeded
    );
    if may_go_well_at_once {
        return refusal;
    }
    if matches!(
        refusal.code,
        MachineCode::FailedPrecondition | MachineCode::NotFound | MachineCode::InvalidArgument
    ) {
        // Perhaps an agreement that was taken back, or an image that is another one now.
        birth.session.account.plans.forget();
    }
    if let Err(left) = leftovers::remove(birth.session, &birth.spec.home, birth.owner).await {
        tracing::warn!(machine = birth.owner.machine.name, error = %left, "parts of a refused creation wait for the next try");
    }
    ended(refusal)
}
