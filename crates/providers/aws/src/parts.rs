//! Disks and network interfaces that belong to no VM any more.
//!
//! EC2 takes the parts of a VM along when it ends, unless the class keeps them. Only parts that carry their machine's UID were to
//! go; one of those that is left was detached by hand, or EC2 failed. Volumes of pods never carry it.

use aws_sdk_ec2::types::{Filter, Tag};
use millwright_cloud_http::{Pages, Urgency};
use millwright_provider::LeftoverKind;

use crate::api_error::ApiError;
use crate::belonging::uid;
use crate::instances::{filter, turn};
use crate::session::{Class, Session};
use crate::tag_keys::{NAME, UID};
use crate::vm::tag;

const PAGE: i32 = 500;

/// A part without a VM.
pub(crate) struct Part {
    pub(crate) id: String,
    pub(crate) kind: LeftoverKind,
    pub(crate) machine_name: String,
    pub(crate) machine_uid: String,
    pub(crate) tags: Vec<Tag>,
}

impl Part {
    fn of(id: Option<String>, kind: LeftoverKind, tags: Option<Vec<Tag>>) -> Option<Self> {
        let tags = tags.unwrap_or_default();
        let (machine_name, machine_uid) = (tag(&tags, NAME)?.to_owned(), uid(&tags)?.to_owned());
        Some(Self { id: id?, kind, machine_name, machine_uid, tags })
    }
}

/// Parts without a VM that are to go with theirs.
pub(crate) async fn without_vm(
    session: &Session<'_>,
    mut filters: Vec<Filter>,
) -> Result<Vec<Part>, ApiError> {
    filters.extend([filter("tag-key", [UID]), filter("status", ["available"])]);
    let mut parts = interfaces(session, &filters).await?;
    parts.extend(disks(session, &filters).await?);
    Ok(parts)
}

async fn interfaces(session: &Session<'_>, filters: &[Filter]) -> Result<Vec<Part>, ApiError> {
    const OPERATION: &str = "DescribeNetworkInterfaces";
    let (mut parts, mut pages) = (Vec::new(), Pages::default());
    loop {
        let request =
            session.ec2().describe_network_interfaces().set_filters(Some(filters.to_vec())).max_results(PAGE);
        let send = request.set_next_token(pages.token().map(str::to_owned)).send();
        let answer = session.call(OPERATION, Class::Read, Urgency::Poll, send).await?;
        let found = answer.network_interfaces.into_iter().flatten().filter(|nic| nic.attachment.is_none());
        parts.extend(
            found.filter_map(|nic| Part::of(nic.network_interface_id, LeftoverKind::Nic, nic.tag_set)),
        );
        if !turn(&mut pages, OPERATION, answer.next_token)? {
            return Ok(parts);
        }
    }
}

async fn disks(session: &Session<'_>, filters: &[Filter]) -> Result<Vec<Part>, ApiError> {
    const OPERATION: &str = "DescribeVolumes";
    let (mut parts, mut pages) = (Vec::new(), Pages::default());
    loop {
        let request = session.ec2().describe_volumes().set_filters(Some(filters.to_vec())).max_results(PAGE);
        let send = request.set_next_token(pages.token().map(str::to_owned)).send();
        let answer = session.call(OPERATION, Class::Read, Urgency::Poll, send).await?;
        let volumes = answer.volumes.into_iter().flatten();
        let found = volumes.filter(|volume| volume.attachments.as_ref().is_none_or(Vec::is_empty));
        parts.extend(found.filter_map(|volume| Part::of(volume.volume_id, LeftoverKind::Disk, volume.tags)));
        if !turn(&mut pages, OPERATION, answer.next_token)? {
            return Ok(parts);
        }
    }
}

/// Removes a part; one that is gone already is removed.
pub(crate) async fn remove(session: &Session<'_>, part: &Part) -> Result<(), ApiError> {
    let removed = match part.kind {
        LeftoverKind::Nic | LeftoverKind::Address => {
            let send = session.ec2().delete_network_interface().network_interface_id(&part.id).send();
            session.call("DeleteNetworkInterface", Class::Write, Urgency::Delete, send).await.map(drop)
        }
        LeftoverKind::Disk => {
            let send = session.ec2().delete_volume().volume_id(&part.id).send();
            session.call("DeleteVolume", Class::Write, Urgency::Delete, send).await.map(drop)
        }
    };
    match removed {
        Err(error) if error.cloud_code().is_some_and(|code| code.ends_with(".NotFound")) => Ok(()),
        removed => removed,
    }
}
