//! Finds the PersistentVolumes of pods and their ids in the machine's cloud: once for each pod, by lists that name one
//! object, since more than lists and watches is not granted everywhere.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use kube::Api;
use kube::api::ListParams;
use millwright_api::{Machine, ObjectView, VolumeAttachmentView};
use millwright_decide::drain::{Leftovers, LookUp, PodVolume, PodVolumes, VolumeStage};
use millwright_provider::Provider;
use serde::de::DeserializeOwned;

use super::{pod_on_node, remember};
use crate::Fleet;
use crate::client::TargetClient;
use crate::execute::class_of_vm;

/// Finds out what is not known yet. A node without any volume costs no request.
pub(super) async fn look_up(
    fleet: &Fleet,
    target: &TargetClient,
    machine: &Machine,
    pods: &[Pod],
    at: Timestamp,
) {
    let attachments = attachments(fleet, machine);
    let reported = fleet.with_index(|index| {
        index.node_of(machine).is_some_and(|node| !node.status.volumes_attached.is_empty())
    });
    if attachments.is_empty() && !reported {
        return;
    }
    let search = Search { target, machine, provider: provider(fleet, machine) };
    // One request that is not answered is enough for now: each may take its whole time-out.
    let mut unanswered = None;
    let mut unknown = None;
    for pod in pods {
        let claims = claims(pod);
        let before =
            remember(fleet, machine, |drain| drain.volumes.get(pod.uid()).map(|known| known.look_up.clone()));
        if claims.is_empty() || before == Some(LookUp::Done) {
            continue;
        }
        if let Some(LookUp::Failing { message, .. }) = before.as_ref().filter(|look_up| !look_up.is_open()) {
            unknown = Some(message.clone());
            continue;
        }
        let found = match &unanswered {
            Some(message) => Err(Trouble::Unanswered(String::clone(message))),
            None => search.volumes_of(pod.namespace(), &claims).await,
        };
        let volumes = match found {
            Ok((volumes, untracked)) => known(pod, LookUp::Done, volumes, untracked),
            Err(trouble) => {
                let message = trouble.message().to_owned();
                unknown = Some(message.clone());
                let look_up = match trouble {
                    Trouble::Refused(_) => LookUp::failed_after(before.as_ref(), message),
                    Trouble::Unanswered(_) => {
                        unanswered = Some(message.clone());
                        LookUp::put_off(before.as_ref(), message)
                    }
                };
                known(pod, look_up, Vec::new(), Vec::new())
            }
        };
        remember(fleet, machine, |drain| drain.looked_up(pod.uid(), volumes));
    }
    // What is attached may be the volume of a pod that is still there.
    let found = match unknown {
        Some(message) => Leftovers::Failing { message },
        None => left_behind(fleet, machine, &search, &attachments, at).await,
    };
    remember(fleet, machine, |drain| {
        if drain.leftovers != Leftovers::Known {
            drain.leftovers = found;
        }
    });
}

fn known(pod: &Pod, look_up: LookUp, volumes: Vec<PodVolume>, untracked: Vec<String>) -> PodVolumes {
    let on_node = pod_on_node(pod);
    PodVolumes {
        pod: format!("{}/{}", on_node.id.namespace, on_node.id.name),
        grace: on_node.grace,
        priority: on_node.priority,
        look_up,
        volumes,
        untracked,
        stage: VolumeStage::InUse,
    }
}

/// Volumes whose pods went before this process looked at the node: another process may have evicted them.
async fn left_behind(
    fleet: &Fleet,
    machine: &Machine,
    search: &Search<'_>,
    attachments: &[Arc<VolumeAttachmentView>],
    at: Timestamp,
) -> Leftovers {
    let used: HashSet<String> = match remember(fleet, machine, |drain| match drain.leftovers {
        Leftovers::Known => None,
        _ => Some(drain.volume_names().map(str::to_owned).collect()),
    }) {
        Some(used) => used,
        None => return Leftovers::Known,
    };
    let mut found = Leftovers::Known;
    for attachment in attachments {
        let volume = &attachment.spec.source.persistent_volume_name;
        if volume.is_empty() || used.contains(volume) {
            continue;
        }
        match search.volume(volume).await {
            Ok(Some(volume)) if !volume.ids.is_empty() => remember(fleet, machine, |drain| {
                let key = PodVolumes::key_of_left_behind(&volume.name);
                drain.looked_up(&key, PodVolumes::left_behind(volume, at));
            }),
            Ok(_) => {}
            Err(trouble) => {
                let message = trouble.message().to_owned();
                tracing::warn!(machine = machine.name(), volume, message, "a volume could not be looked up");
                found = Leftovers::Failing { message };
                if matches!(trouble, Trouble::Unanswered(_)) {
                    return found;
                }
            }
        }
    }
    found
}

/// Attachments to the machine's node.
fn attachments(fleet: &Fleet, machine: &Machine) -> Vec<Arc<VolumeAttachmentView>> {
    let index = fleet.index.lock();
    let Some(node) = index.node_of(machine) else { return Vec::new() };
    index.attachments_to(node.name())
}

fn provider(fleet: &Fleet, machine: &Machine) -> Option<Arc<dyn Provider>> {
    let class = class_of_vm(fleet, machine)?;
    fleet.parts.providers.get(&class.provider).ok().cloned()
}

/// Names of the claims that a pod mounts. The claim of an ephemeral volume is named after pod and volume.
fn claims(pod: &Pod) -> Vec<String> {
    let volumes = pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten());
    volumes
        .filter_map(|volume| match (&volume.persistent_volume_claim, &volume.ephemeral) {
            (Some(claim), _) => Some(claim.claim_name.clone()),
            (None, Some(_)) => Some(format!("{}-{}", pod.name(), volume.name)),
            (None, None) => None,
        })
        .collect()
}

/// Why a look-up failed.
enum Trouble {
    /// It will not be answered in any other way as long as nobody changes something.
    Refused(String),
    /// Nobody could answer now.
    Unanswered(String),
}

impl Trouble {
    fn of(error: &kube::Error, what: &str) -> Self {
        let text = format!("{what}: {error}");
        match error {
            kube::Error::Api(status) if status.code != 429 && status.code < 500 => Self::Refused(text),
            kube::Error::SerdeError(_) => Self::Refused(text),
            _ => Self::Unanswered(text),
        }
    }

    fn message(&self) -> &str {
        let (Self::Refused(message) | Self::Unanswered(message)) = self;
        message
    }
}

struct Search<'a> {
    target: &'a TargetClient,
    machine: &'a Machine,
    /// Nobody knows a volume's ids without it.
    provider: Option<Arc<dyn Provider>>,
}

impl Search<'_> {
    /// Volumes of these claims, and what stands against following the others.
    async fn volumes_of(
        &self,
        namespace: &str,
        claims: &[String],
    ) -> Result<(Vec<PodVolume>, Vec<String>), Trouble> {
        let (mut volumes, mut untracked) = (Vec::new(), Vec::new());
        for claim in claims {
            let api: Api<PersistentVolumeClaim> = Api::namespaced(self.target.0.clone(), namespace);
            let found = one(&api, "claim", claim).await?;
            let Some(found) = found else {
                untracked.push(format!("there is no claim {namespace}/{claim}"));
                continue;
            };
            // A claim that is not bound has nothing that could be attached.
            let bound = found.spec.and_then(|spec| spec.volume_name).filter(|name| !name.is_empty());
            let Some(name) = bound else { continue };
            match self.volume(&name).await? {
                Some(volume) => volumes.push(volume),
                None => untracked.push(format!("there is no volume {name} of claim {namespace}/{claim}")),
            }
        }
        Ok((volumes, untracked))
    }

    async fn volume(&self, name: &str) -> Result<Option<PodVolume>, Trouble> {
        let Some(provider) = &self.provider else {
            let class = &self.machine.spec.class.name;
            return Err(Trouble::Refused(format!("the cloud of MachineClass {class:?} is not known")));
        };
        let api: Api<PersistentVolume> = Api::all(self.target.0.clone());
        let found = one(&api, "volume", name).await?;
        Ok(found.map(|volume| PodVolume {
            name: name.to_owned(),
            ids: volume.spec.map(|spec| provider.volume_ids(&[spec])).unwrap_or_default(),
        }))
    }
}

/// The object of that name, by a list.
async fn one<K>(api: &Api<K>, kind: &str, name: &str) -> Result<Option<K>, Trouble>
where
    K: Clone + DeserializeOwned + Debug,
{
    let query = ListParams::default().fields(&format!("metadata.name={name}"));
    match api.list(&query).await {
        Ok(list) => Ok(list.items.into_iter().next()),
        Err(error) => Err(Trouble::of(&error, &format!("{kind} {name}"))),
    }
}
