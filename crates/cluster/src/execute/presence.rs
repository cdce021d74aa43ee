//! Asks the API server, past every cache, whether an owner is still there before it adopts something: adopted by an owner
//! that is gone, it would be collected as garbage.

use std::fmt::Debug;

use kube::{Api, Resource};
use millwright_api::ObjectView;
use serde::de::DeserializeOwned;

use super::ExecuteError;

/// Whether an object may still become an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is there and stays.
    There,
    /// It is gone, on its way out, or another object has its name. The watch will tell more.
    Lost,
}

/// Reads the object once.
pub(super) async fn of<K>(api: &Api<K>, object: &K, kind: &'static str) -> Result<Presence, ExecuteError>
where
    K: Resource + ObjectView + Clone + DeserializeOwned + Debug,
{
    let found = api
        .get_opt(object.name())
        .await
        .map_err(|source| ExecuteError::new("get", kind, object.name(), source))?;
    let stays = found.is_some_and(|found| found.uid() == object.uid() && !found.is_deleting());
    Ok(if stays { Presence::There } else { Presence::Lost })
}
