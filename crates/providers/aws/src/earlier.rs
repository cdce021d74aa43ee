//! A VM that is the machine's before it was asked for here: made by another controller that had no time to write its id down.
//!
//! The idempotency token knows nothing of it. One list that all births of a while share does, so that a hundred births ask once. Where a
//! VM needs no scope to be a machine's, that list does not show all: there each birth asks for its UID besides.

use std::time::Duration;

use aws_sdk_ec2::types::Instance;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::belonging::{fits, in_scope};
use crate::find::only_one;
use crate::home::{Belonging, Home};
use crate::instances;
use crate::session::Session;
use crate::vm;

/// A list so old still answers: what is looked for was made before this process had anything to do with the machine.
const FRESH: Duration = Duration::from_secs(5);

/// The VM of the scope that bears the machine's UID, or its name and no UID; else the one that bears the UID alone where the dialect
/// has it so.
pub(crate) async fn find(
    session: &Session<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Option<Instance>, ProviderError> {
    let since = session.now().checked_sub(FRESH).unwrap_or_else(|| session.now());
    let listed = instances::of_scope_since(session, scope, since).await?;
    let ours = |instance: &&Instance| in_scope(instance.tags(), scope) && fits(instance.tags(), machine);
    if let Some(seen) = only_one(listed.iter().filter(ours).cloned().collect(), home)? {
        // One that ended after that list was read is no VM to take up.
        let now = instances::by_id(session, vm::id(&seen)).await?;
        if let Some(there) = now.filter(vm::is_there).filter(|instance| ours(&instance)) {
            return Ok(Some(there));
        }
    }
    match (home.belonging, &machine.uid) {
        (Belonging::ScopeOrUid, Some(uid)) => {
            let mut there = instances::by_uid(session, uid).await?;
            there.retain(vm::is_there);
            only_one(there, home)
        }
        (Belonging::ScopeOrUid, None) | (Belonging::Scope, _) => Ok(None),
    }
}
