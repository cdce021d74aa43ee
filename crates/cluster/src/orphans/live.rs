//! Looks at the API server itself instead of the index, before something is deleted.
//!
//! Both reads name no resource version, so that the storage answers by a majority and not a cache that may be old.

use kube::api::ListParams;
use millwright_api::{Machine, ObjectView};

use crate::Fleet;
use crate::client::says_gone;

/// What an API server calls a list of machines.
const LIST: &str = "MachineList";

/// The machine of that name, or `None` when the API server says of that very machine that there is none. "Not found" alone
/// is no evidence: a proxy says it of any path, and so does a server that does not serve our kinds yet.
pub(super) async fn machine(fleet: &Fleet, name: &str) -> Result<Option<Machine>, kube::Error> {
    match fleet.machines().get(name).await {
        Ok(machine) if machine.name() == name => Ok(Some(machine)),
        Ok(_) => Err(kube::Error::Service("the API server answered with another object".into())),
        Err(kube::Error::Api(status)) if says_gone(&status, name) => Ok(None),
        Err(error) => Err(error),
    }
}

/// All machines. Only what calls itself a list of machines is one: something between us and the API server may answer anything
/// with an empty list of nothing.
pub(super) async fn machines(fleet: &Fleet) -> Result<Vec<Machine>, kube::Error> {
    let list = fleet.machines().list(&ListParams::default()).await?;
    if list.types.kind != LIST {
        return Err(kube::Error::Service(
            "the API server answered with something else than a list of machines".into(),
        ));
    }
    Ok(list.items)
}
