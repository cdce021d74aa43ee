//! Ending a VM and what belongs to it.
//!
//! EC2 takes disks and network interfaces along; those that the class keeps, and volumes of pods, it detaches. Parts that were to go
//! and are there without their VM are removed once no VM is found. What is left is told by the list that is read after it, one for
//! all machines that die together.

use aws_sdk_ec2::types::{
    EbsInstanceBlockDeviceSpecification, Instance, InstanceBlockDeviceMappingSpecification,
};
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{DeleteOutcome, MachineView, ProviderError, Scope};

use crate::api_error::ApiError;
use crate::belonging::{fits, in_scope};
use crate::find::{Found, find};
use crate::home::Home;
use crate::instances::{filter, scope_filters};
use crate::parts;
use crate::session::{Class, Session};
use crate::spec::{Market, SpotLasting};
use crate::tag_keys::NAME;
use crate::vm;

pub(crate) async fn delete(
    session: &Session<'_>,
    home: &Home,
    market: Option<&Market>,
    machine: &MachineView,
    scope: &Scope,
    keep_volumes: &[String],
) -> Result<DeleteOutcome, ProviderError> {
    if machine.name.is_empty() {
        let message = "a machine without a name has no VM that could be told from others";
        return Err(ProviderError::new(MachineCode::InvalidArgument, message));
    }
    match find(session, home, machine, scope).await? {
        Found::There(there) => {
            for instance in &there {
                keep(session, instance, keep_volumes).await?;
                end(session, market, instance).await?;
            }
        }
        Found::Gone { .. } => remove_parts(session, machine, scope).await?,
    }
    Ok(DeleteOutcome::Unproven)
}

/// Ends a VM. `market` is none when the class can not be read.
async fn end(session: &Session<'_>, market: Option<&Market>, instance: &Instance) -> Result<(), ApiError> {
    // A lasting request would start another VM in its place. Of one that nobody knows it is the worse to be wrong about: EC2
    // takes the end of any.
    let may_last = market
        .is_none_or(|market| matches!(market, Market::Spot { lasting: SpotLasting::Persistent { .. }, .. }));
    if let (true, Some(request)) = (may_last, instance.spot_instance_request_id()) {
        let send = session.ec2().cancel_spot_instance_requests().spot_instance_request_ids(request).send();
        match session.call("CancelSpotInstanceRequests", Class::Write, Urgency::Delete, send).await {
            // One that EC2 has forgotten starts nothing any more.
            Err(error) if error.cloud_code() == Some("InvalidSpotInstanceRequestID.NotFound") => {}
            // Most policies need no right to it. Should the request have lasted, the VM that it starts is an orphan, and goes as one.
            Err(error) if market.is_none() && is_for_good(&error) => {
                let error = ProviderError::from(error);
                tracing::warn!(vm = vm::id(instance), request, %error, "ends although its spot request may last");
            }
            cancelled => drop(cancelled?),
        }
    }
    let send = session.ec2().terminate_instances().instance_ids(vm::id(instance)).send();
    match session.call("TerminateInstances", Class::Terminate, Urgency::Delete, send).await {
        Err(error) if error.cloud_code() == Some("InvalidInstanceID.NotFound") => Ok(()),
        ended => ended.map(drop),
    }
}

/// Whether asking again would bring the same answer.
fn is_for_good(error: &ApiError) -> bool {
    !matches!(error.machine_code(), None | Some(MachineCode::Unavailable | MachineCode::Unauthenticated))
}

/// Volumes that pods use stay anyway; one that somebody attached so that it would go is told to stay first.
async fn keep(session: &Session<'_>, instance: &Instance, keep_volumes: &[String]) -> Result<(), ApiError> {
    for mapping in instance.block_device_mappings() {
        let (Some(device), Some(ebs)) = (mapping.device_name(), mapping.ebs()) else { continue };
        let is_kept = ebs.volume_id().is_some_and(|id| keep_volumes.iter().any(|kept| kept == id));
        if !is_kept || ebs.delete_on_termination() != Some(true) {
            continue;
        }
        let stays = EbsInstanceBlockDeviceSpecification::builder().delete_on_termination(false).build();
        let mapping =
            InstanceBlockDeviceMappingSpecification::builder().device_name(device).ebs(stays).build();
        let request = session.ec2().modify_instance_attribute().instance_id(vm::id(instance));
        let send = request.block_device_mappings(mapping).send();
        session.call("ModifyInstanceAttribute", Class::Write, Urgency::Delete, send).await?;
    }
    Ok(())
}

/// Removes parts of the machine that outlived their VM.
async fn remove_parts(session: &Session<'_>, machine: &MachineView, scope: &Scope) -> Result<(), ApiError> {
    let mut filters = scope_filters(scope);
    filters.push(filter(&format!("tag:{NAME}"), [machine.name.as_str()]));
    for part in parts::without_vm(session, filters).await? {
        if part.machine_name == machine.name && in_scope(&part.tags, scope) && fits(&part.tags, machine) {
            parts::remove(session, &part).await?;
        }
    }
    Ok(())
}
