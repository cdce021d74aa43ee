//! A cloud whose contents and misfortunes a test dictates, with the provider that is judged on it.
//!
//! The first half of the trait every provider's tests must offer. The second half has defaults that
//! say "this cloud has no such thing"; a point that needs it is then reported as not offered.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use serde_json::Value;

use super::{Calls, Census, ErrorRow, Fault, Offered, PlacedVm};
use crate::{Credentials, Provider};

/// A cloud account in the hands of a test.
#[async_trait]
pub trait ScriptedCloud: Send + Sync {
    /// The provider to judge; the same one every time.
    fn provider(&self) -> Arc<dyn Provider>;

    /// A valid provider spec in the scope that is "ours".
    fn spec(&self) -> Value;

    /// Specs that lack their cluster, their role, or both.
    fn specs_without_scope(&self) -> Vec<Value>;

    /// Dotted paths below `providerSpec` of every field that must be there in [`Self::spec`].
    fn required_fields(&self) -> Vec<&'static str>;

    /// Those of [`Self::required_fields`] without which nobody could know where the VMs are and whose. Whatever else of a class
    /// is wrong, its VMs are listed and deleted by these.
    fn home_fields(&self) -> Vec<&'static str>;

    /// Credentials that work now, with a `userData` key. Each value has at least 8 bytes, so that it can
    /// be searched for in messages.
    fn credentials(&self) -> Credentials;

    /// Credentials of the right form that the cloud refuses; values of at least 8 bytes.
    fn refused_credentials(&self) -> Credentials;

    /// Makes the cloud refuse what worked until now, and returns what works from now on.
    async fn rotate_credentials(&self) -> Credentials;

    /// Puts a running VM there behind the provider's back, with all that belongs to a VM, and returns its
    /// id as the provider would spell it. `None` when the cloud can not hold such a VM.
    async fn place_vm(&self, vm: &PlacedVm) -> Option<String>;

    /// Counts what exists, whoever it belongs to.
    async fn census(&self) -> Census;

    /// Counts the provider's calls since the cloud is there.
    async fn calls(&self) -> Calls;

    /// Sets one fault in place of any before.
    async fn set_fault(&self, fault: Fault);

    /// Ends all misfortune, whatever set it.
    async fn clear_faults(&self);

    /// Other spellings of an id that must be understood.
    fn other_spellings(&self, _provider_id: &str) -> Vec<String> {
        Vec::new()
    }

    /// So many VMs that a list of them takes at least three pages.
    fn three_pages(&self) -> usize {
        25
    }

    /// The cloud's own errors and the codes they must have.
    fn error_rows(&self) -> Vec<ErrorRow> {
        Vec::new()
    }

    /// Brings about the error of that name from [`Self::error_rows`] until the faults are cleared.
    async fn provoke(&self, _row: &ErrorRow) {}

    /// A valid spec whose cloud nobody answers for.
    fn unreachable_spec(&self) -> Option<Value> {
        None
    }

    /// A volume of this cloud and its id.
    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        None
    }

    /// The most bytes of user data that the cloud takes.
    fn user_data_limit(&self) -> Option<usize> {
        None
    }

    /// Whether a VM's name is its alone in this cloud, so that a stranger's VM of that name is in the way.
    fn names_are_unique(&self) -> Offered {
        Offered::Yes
    }

    /// Whether a new VM needs steps after its creation.
    fn initialization_steps(&self) -> Offered {
        Offered::No
    }

    /// Lets a new VM be missing from lists for so long.
    async fn lag_lists(&self, _lag: Duration) -> Offered {
        Offered::No
    }

    /// Attaches a new volume, one that a pod would use, and returns its id.
    async fn attach_volume(&self, _provider_id: &str) -> Option<String> {
        None
    }

    /// Ids of the volumes that [`Self::attach_volume`] made and that still exist.
    async fn volumes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Removes the VM behind the provider's back so that its other parts stay.
    async fn leave_leftovers(&self, _provider_id: &str) -> Offered {
        Offered::No
    }

    /// The user data as the VM reads it.
    async fn received_user_data(&self, _provider_id: &str) -> Option<Vec<u8>> {
        None
    }
}
