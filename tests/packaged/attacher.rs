//! The CSI attacher of the simulated cloud's disks, as its vendor would run it: what kube-controller-manager asks for with a VolumeAttachment
//! is done in the cloud and said in its status.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::storage::v1::VolumeAttachment;
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use millwright_simcloud::Cloud;
use serde_json::json;
use tokio::task::JoinHandle;

/// The driver under which the provider looks for its volumes.
pub(crate) const DRIVER: &str = "disk.simcloud.millwright.dev";
const FINALIZER: &str = "external-attacher/disk-simcloud-millwright-dev";
const POLL: Duration = Duration::from_millis(100);
/// Clouds take their time.
const DETACHING: Duration = Duration::from_millis(700);

/// What the attacher did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Attached {
        volume: String,
        node: String,
    },
    /// The VM may have been gone by then, and then it was deleted under its volume.
    Detached {
        volume: String,
        node: String,
        vm: VmThen,
    },
}

/// Whether a VM was there when its volume was taken from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VmThen {
    There,
    Gone,
}

/// Dropping it ends it.
pub(crate) struct Attacher {
    deeds: Arc<Mutex<Vec<Deed>>>,
    task: JoinHandle<()>,
}

impl Attacher {
    /// Looks after the disks of these persistent volumes from now on.
    pub(crate) fn play(client: &Client, cloud: &Cloud, disks: BTreeMap<String, String>) -> Self {
        let deeds = Arc::<Mutex<Vec<Deed>>>::default();
        let work =
            Work { api: Api::all(client.clone()), cloud: cloud.clone(), disks, deeds: Arc::clone(&deeds) };
        let task = tokio::spawn(async move {
            loop {
                work.look().await;
                tokio::time::sleep(POLL).await;
            }
        });
        Self { deeds, task }
    }

    /// What it did so far, in order.
    pub(crate) fn deeds(&self) -> Vec<Deed> {
        self.deeds.lock().unwrap().clone()
    }
}

impl Drop for Attacher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Work {
    api: Api<VolumeAttachment>,
    cloud: Cloud,
    disks: BTreeMap<String, String>,
    deeds: Arc<Mutex<Vec<Deed>>>,
}

impl Work {
    /// What fails is tried again at the next look.
    async fn look(&self) {
        let Ok(list) = self.api.list(&ListParams::default()).await else { return };
        for attachment in list {
            let volume = attachment.spec.source.persistent_volume_name.clone().unwrap_or_default();
            let Some(disk) = self.disks.get(&volume) else { continue };
            let done = if attachment.metadata.deletion_timestamp.is_some() {
                self.detach(&attachment, volume, disk).await
            } else if attachment.status.as_ref().is_some_and(|status| status.attached) {
                continue;
            } else {
                self.attach(&attachment, volume, disk).await
            };
            if let Err(error) = done {
                println!("attacher: {}: {error}", attachment.name_any());
            }
        }
    }

    async fn attach(&self, attachment: &VolumeAttachment, volume: String, disk: &str) -> kube::Result<()> {
        let node = attachment.spec.node_name.clone();
        let Some(vm) = self.vm(&node) else { return Ok(()) };
        // Still another VM's: later.
        if self.cloud.attach_disk(disk, &vm).is_err() {
            return Ok(());
        }
        let (name, parameters) = (attachment.name_any(), PatchParams::default());
        let finalizers = json!({ "metadata": { "finalizers": [FINALIZER] } });
        self.api.patch(&name, &parameters, &Patch::Merge(&finalizers)).await?;
        let attached = json!({ "status": { "attached": true } });
        self.api.patch_status(&name, &parameters, &Patch::Merge(&attached)).await?;
        self.note(Deed::Attached { volume, node });
        Ok(())
    }

    async fn detach(&self, attachment: &VolumeAttachment, volume: String, disk: &str) -> kube::Result<()> {
        let node = attachment.spec.node_name.clone();
        tokio::time::sleep(DETACHING).await;
        let vm = self.vm(&node);
        let holder = self.cloud.disks().into_iter().find(|held| held.id == *disk).and_then(|held| held.vm);
        if vm.is_some() && holder == vm {
            self.cloud.detach_disk(disk).unwrap();
        }
        let finalizers = json!({ "metadata": { "finalizers": null } });
        self.api.patch(&attachment.name_any(), &PatchParams::default(), &Patch::Merge(&finalizers)).await?;
        let vm = if vm.is_some() { VmThen::There } else { VmThen::Gone };
        self.note(Deed::Detached { volume, node, vm });
        Ok(())
    }

    fn vm(&self, node: &str) -> Option<String> {
        self.cloud.vms().into_iter().find(|vm| vm.name == node).map(|vm| vm.id)
    }

    fn note(&self, deed: Deed) {
        println!("attacher: {deed:?}");
        self.deeds.lock().unwrap().push(deed);
    }
}
