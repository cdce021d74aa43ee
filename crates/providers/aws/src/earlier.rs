//! A VM that is the machine's before it was asked for here: made by another controller that had no time to write its id down.
//!
//! The idempotency token knows nothing of it. One list that all births of a while share does, so that a hundred births ask once.

use std::time::Duration;

use aws_sdk_ec2::types::Instance;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::belonging::{fits, in_scope};
use crate::find::only_one;
use crate::home::Home;
use crate::instances;
use crate::session::Session;
use crate::vm;

/// A list so old still answers: what is looked for was made before this process had anything to do with the machine.
const FRESH: Duration = Duration::from_secs(5);

/// The VM of the scope that bears the machine's UID, or its name and no UID.
pub(crate) async fn find(
    session: &Session<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Option<Instance>, ProviderError> {
    let since = session.now().checked_sub(FRESH).unwrap_or_else(|| session.now());
    let listed = instances::of_scope_since(session, scope, since).await?;
    let ours = |instance: &&Instance| in_scope(instance.tags(), scope) && fits(instance.tags(), machine);
    let Some(seen) = only_one(listed.iter().filter(ours).cloned().collect(), home)? else { return Ok(None) };
    // One that ended after that list was read is no VM to take up.
    let now = instances::by_id(session, vm::id(&seen)).await?;
    Ok(now.filter(vm::is_there).filter(|instance| ours(&instance)))
}
