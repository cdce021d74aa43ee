//! The network interface, and data disks from images.

use http::Method;
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{CreateOutcome, ProviderError};
use serde::Deserialize;
use serde_json::Value;

use super::{Birth, ended, in_progress, refused, taken};
use crate::arm::Kind;
use crate::errors::CLOUD;
use crate::progress::Step;
use crate::session::{Age, Class, Failure, Sent};
use crate::wire::{Progress, Tags};
use crate::{body, inventory, list, names};

/// What is known of a part.
struct Part<'a> {
    what: &'static str,
    name: &'a str,
    tags: &'a Tags,
    progress: Progress,
    /// Whether a VM that is there has it.
    is_held: bool,
}

/// What to do about a part that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Use,
    Wait,
    Make,
}

/// Makes what is missing. `None` when all is there.
pub(super) async fn make(birth: &Birth<'_>) -> Result<Option<CreateOutcome>, ProviderError> {
    let mut is_waiting = false;
    for next in [nic(birth).await?, disks(birth).await?] {
        is_waiting |= next == Next::Wait;
    }
    Ok(is_waiting.then(|| in_progress(Step::Parts, None, Some(std::time::Duration::from_secs(2)))))
}

async fn nic(birth: &Birth<'_>) -> Result<Next, ProviderError> {
    let Birth { session, spec, owner, uid } = birth;
    let name = names::nic(&owner.machine.name, spec.home.nic_suffix);
    let listed = inventory::nics(session, Age::New).await?;
    let known = listed.iter().find(|nic| nic.name.eq_ignore_ascii_case(&name));
    if let Some(nic) = known {
        let part = Part {
            what: "network interface",
            name: &nic.name,
            tags: &nic.tags,
            progress: nic.properties.provisioning_state,
            is_held: nic.properties.virtual_machine.as_ref().is_some_and(|vm| !vm.id.is_empty()),
        };
        let next = judge(birth, &part)?;
        if next != Next::Make {
            return Ok(next);
        }
    }
    let body = body::nic(spec, &session.account.subscription, &name, uid)?;
    put(birth, "networkInterfaces.createOrUpdate", Class::Network, Kind::Nic, &name, body).await
}

async fn disks(birth: &Birth<'_>) -> Result<Next, ProviderError> {
    let Birth { session, spec, owner, uid } = birth;
    let wanted = spec.data_disks.iter().filter_map(|disk| Some((disk, disk.image.as_ref()?)));
    let wanted: Vec<_> = wanted.collect();
    if wanted.is_empty() {
        return Ok(Next::Use);
    }
    let listed = inventory::disks(session, Age::New).await?;
    let vms = inventory::vms(session, Age::Recent).await?;
    let mut all = Next::Use;
    for (disk, image) in wanted {
        let name = names::data_disk(&owner.machine.name, disk.name.as_deref(), disk.lun);
        if let Some(known) = listed.iter().find(|disk| disk.name.eq_ignore_ascii_case(&name)) {
            let part = Part {
                what: "disk",
                name: &known.name,
                tags: &known.tags,
                progress: known.properties.provisioning_state,
                is_held: list::is_disk_of(session, known, &vms),
            };
            match judge(birth, &part)? {
                Next::Use => continue,
                Next::Wait => {
                    all = Next::Wait;
                    continue;
                }
                Next::Make => {}
            }
        }
        let body = body::disk(spec, &session.account.subscription, disk, image, uid)?;
        if put(birth, "disks.createOrUpdate", Class::ComputeWrite, Kind::Disk, &name, body).await?
            == Next::Wait
        {
            all = Next::Wait;
        }
    }
    Ok(all)
}

fn judge(birth: &Birth<'_>, part: &Part<'_>) -> Result<Next, ProviderError> {
    if !birth.owner.owns(part.tags) {
        return Err(taken(part.what, part.name, "belongs to somebody else"));
    }
    if part.is_held {
        // Of the machine's own VM, or of another one's of that name: the VM itself tells.
        return Ok(Next::Use);
    }
    Ok(match part.progress {
        Progress::Going | Progress::Deleting => Next::Wait,
        // Left by a machine that had this name before.
        Progress::Succeeded | Progress::Unknown if !birth.owner.bears_uid(part.tags) => Next::Make,
        Progress::Succeeded | Progress::Unknown => Next::Use,
        Progress::Failed => Next::Make,
    })
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Made {
    properties: MadeProperties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MadeProperties {
    provisioning_state: Progress,
}

async fn put(
    birth: &Birth<'_>,
    operation: &'static str,
    class: Class,
    kind: Kind,
    name: &str,
    body: Value,
) -> Result<Next, ProviderError> {
    let session = birth.session;
    let path = format!("{}?api-version={}", session.place().one(kind, name), kind.api_version());
    let sent = Sent { body: Some(body), ..Sent::new(operation, class, Urgency::Create, Method::PUT, path) };
    match session.send(sent).await {
        Ok(answer) => {
            let made: Made = answer.json().unwrap_or_default();
            match made.properties.provisioning_state {
                Progress::Succeeded => Ok(Next::Use),
                Progress::Failed => {
                    let message =
                        format!("{CLOUD}: {operation}: {name} was made and failed; it is made again");
                    Err(ended(ProviderError::new(MachineCode::Unavailable, message)))
                }
                Progress::Going | Progress::Deleting | Progress::Unknown => Ok(Next::Wait),
            }
        }
        Err(Failure::Refused(error)) => Err(refused::end(birth, &error).await),
        Err(Failure::Other(error)) => Err(error),
    }
}
