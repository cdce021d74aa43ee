//! The steps after creation, each of which can fail by itself. However often they are done, they end the same.

use aws_sdk_ec2::types::AttributeBooleanValue;
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{Initialization, Instance, MachineView, ProviderError, Scope};

use crate::find::{Found, find, only_one};
use crate::missing_steps::{self, Step};
use crate::session::{Class, Session};
use crate::spec::Spec;
use crate::status::nameless;
use crate::vm;

pub(crate) async fn initialize(
    session: &Session<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Instance, ProviderError> {
    let found = match find(session, &spec.home, machine, scope).await? {
        Found::There(there) => only_one(there, &spec.home)?,
        Found::Gone { .. } => None,
    };
    let instance = found.ok_or_else(|| {
        ProviderError::new(MachineCode::NotFound, format!("AWS: machine {} has no VM", machine.name))
    })?;
    for step in missing_steps::of(&instance, spec) {
        match step {
            Step::TurnCheckOff { interface } => {
                let off = AttributeBooleanValue::builder().value(false).build();
                let request =
                    session.ec2().modify_network_interface_attribute().network_interface_id(interface);
                let send = request.source_dest_check(off).send();
                session.call("ModifyNetworkInterfaceAttribute", Class::Write, Urgency::Create, send).await?;
            }
            Step::AddPrefixes { interface, count } => {
                let request = session.ec2().assign_ipv6_addresses().network_interface_id(interface);
                let send = request.ipv6_prefix_count(count).send();
                session.call("AssignIpv6Addresses", Class::Write, Urgency::Create, send).await?;
            }
        }
    }
    let name = vm::node_name(&instance).ok_or_else(|| nameless(&instance))?;
    // What was read before the steps shows them as missing still.
    Ok(Instance { initialization: Initialization::Done, ..vm::of(&instance, name, spec) })
}
