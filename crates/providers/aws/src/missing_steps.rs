//! What a VM lacks of the steps after its creation.
//!
//! Each network interface is judged by itself, and found in the spec by its place on its network card; never by its place in a list.

use std::fmt;

use aws_sdk_ec2::types::Instance;

use crate::spec::{SourceDestCheck, Spec};
use crate::vm;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The source/destination check of that interface is still on.
    TurnCheckOff { interface: String },
    /// The interface has fewer IPv6 prefixes than it should.
    AddPrefixes { interface: String, count: i32 },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnCheckOff { interface } => {
                write!(f, "the source/destination check of {interface} is still on")
            }
            Self::AddPrefixes { interface, count } => write!(f, "{interface} lacks {count} IPv6 prefixes"),
        }
    }
}

/// The steps that are missing. More prefixes than wanted are no mistake of ours.
pub(crate) fn of(instance: &Instance, spec: &Spec) -> Vec<Step> {
    let mut steps = Vec::new();
    if spec.source_dest_check == SourceDestCheck::Off {
        let checked =
            vm::ip_interfaces(instance).filter(|interface| interface.source_dest_check() == Some(true));
        let ids = checked.filter_map(|interface| interface.network_interface_id());
        steps.extend(ids.map(|id| Step::TurnCheckOff { interface: id.to_owned() }));
    }
    for wanted in spec.network_interfaces.iter().filter(|wanted| wanted.ipv6_prefix_count > 0) {
        let found = instance.network_interfaces().iter().find(|interface| {
            interface.attachment().is_some_and(|at| {
                at.device_index() == Some(wanted.device_index)
                    && at.network_card_index().unwrap_or(0) == wanted.network_card_index.unwrap_or(0)
            })
        });
        let Some((interface, id)) = found.and_then(|found| Some((found, found.network_interface_id()?)))
        else {
            continue;
        };
        let present = i32::try_from(interface.ipv6_prefixes().len()).unwrap_or(i32::MAX);
        let count = wanted.ipv6_prefix_count.saturating_sub(present);
        if count > 0 {
            steps.push(Step::AddPrefixes { interface: id.to_owned(), count });
        }
    }
    steps
}

#[cfg(test)]
mod tests;
