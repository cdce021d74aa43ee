//! From names to ids. An answer counts for a minute, so that many births ask once.

use std::sync::Arc;
use std::time::Duration;

use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::ProviderError;
use serde::Deserialize;

use super::calls::{Call, Calls, escaped};
use super::refusal::{CLOUD, CallError};
use super::service::Service;
use crate::spec::Named;

const KEPT: Duration = Duration::from_secs(60);

/// What is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    region: String,
    kind: Kind,
    name: Named,
}

/// Kinds of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Image,
    Flavor,
    Network,
    Subnet,
    SecurityGroup,
}

#[derive(Deserialize)]
struct Thing {
    id: String,
    name: Option<String>,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Flavor => "flavor",
            Self::Network => "network",
            Self::Subnet => "subnet",
            Self::SecurityGroup => "security group",
        }
    }

    const fn list_name(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Flavor => "flavors",
            Self::Network => "networks",
            Self::Subnet => "subnets",
            Self::SecurityGroup => "security_groups",
        }
    }

    /// Where those of a name are listed; flavors have no such filter.
    fn call<'a>(self, path: &'a mut String, name: &str) -> Call<'a> {
        let name = escaped(name);
        let (operation, service) = match self {
            Self::Image => ("images.list", Service::Image),
            Self::Flavor => ("flavors.list", Service::Compute),
            Self::Network => ("networks.list", Service::Network),
            Self::Subnet => ("subnets.list", Service::Network),
            Self::SecurityGroup => ("security-groups.list", Service::Network),
        };
        *path = match self {
            Self::Image => format!("/images?status=active&name={name}"),
            Self::Flavor => "/flavors".to_owned(),
            Self::Network => format!("/networks?fields=id&fields=name&name={name}"),
            Self::Subnet => format!("/subnets?fields=id&fields=name&name={name}"),
            Self::SecurityGroup => format!("/security-groups?fields=id&fields=name&name={name}"),
        };
        Call { operation, urgency: Urgency::Create, service, path }
    }
}

/// The id of a thing.
pub(crate) async fn id(calls: &Calls<'_>, kind: Kind, named: &Named) -> Result<String, CallError> {
    let name = match named {
        Named::Id(id) => return Ok(id.clone()),
        Named::Name(name) | Named::Either(name) => name,
    };
    let wanted = Wanted { region: calls.region.to_owned(), kind, name: named.clone() };
    let now = calls.now();
    let since = now.checked_sub(KEPT).unwrap_or(now);
    let look = || async {
        // Neutron and Glance look for names only: what looks like an id is taken for one.
        if matches!(named, Named::Either(_)) && kind != Kind::Flavor && is_uuid(name) {
            return Ok(name.clone());
        }
        let mut path = String::new();
        let things: Vec<Thing> = calls.list(kind.call(&mut path, name), kind.list_name()).await?;
        one_of(kind, named, things)
    };
    let id: Arc<String> = calls.cloud.ids.since(wanted, since, || calls.now(), look).await?;
    Ok((*id).clone())
}

fn one_of(kind: Kind, named: &Named, things: Vec<Thing>) -> Result<String, CallError> {
    let (Named::Id(name) | Named::Name(name) | Named::Either(name)) = named;
    if matches!(named, Named::Either(_)) && things.iter().any(|thing| thing.id == *name) {
        return Ok(name.clone());
    }
    let mut ids: Vec<String> = things
        .into_iter()
        .filter(|thing| thing.name.as_deref() == Some(name))
        .map(|thing| thing.id)
        .collect();
    let refuse = |code, message: String| Err(ProviderError::new(code, message).into());
    match (ids.pop(), ids.is_empty()) {
        (Some(id), true) => Ok(id),
        (Some(id), false) => {
            let message = format!(
                "{CLOUD}: several {}s are called {name:?}: {id}, {}; name the one you mean by its id",
                kind.word(),
                ids.join(", ")
            );
            refuse(MachineCode::InvalidArgument, message)
        }
        // Another zone or group may have it: an autoscaler may turn there.
        (None, _) if kind == Kind::Flavor => {
            let message = format!("{CLOUD}: no flavor is called {name:?} that this project may use");
            refuse(MachineCode::ResourceExhausted, message)
        }
        (None, _) => {
            let message = format!("{CLOUD}: no {} is called {name:?} that this project may use", kind.word());
            refuse(MachineCode::InvalidArgument, message)
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn things(pairs: &[(&str, &str)]) -> Vec<Thing> {
        pairs.iter().map(|(id, name)| Thing { id: (*id).into(), name: Some((*name).into()) }).collect()
    }

    #[test]
    fn a_name_means_one_thing_or_is_refused() {
        let by_name = Named::Name("a".into());
        let known = [("1", "a"), ("2", "b"), ("3", "a-b")];
        assert_eq!(one_of(Kind::Image, &by_name, things(&known)).unwrap(), "1");
        for (kind, known, code, expected) in [
            (Kind::Image, &[("1", "a"), ("2", "a")][..], MachineCode::InvalidArgument, "several images"),
            (Kind::Network, &[("2", "b")], MachineCode::InvalidArgument, "no network"),
            (Kind::Flavor, &[], MachineCode::ResourceExhausted, "no flavor"),
        ] {
            let error = ProviderError::from(one_of(kind, &by_name, things(known)).unwrap_err());
            assert_eq!(error.code, code);
            assert!(error.message.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_id_wins_over_a_name_where_both_may_be_written() {
        let either = Named::Either("1".into());
        assert_eq!(one_of(Kind::Flavor, &either, things(&[("9", "1"), ("1", "x")])).unwrap(), "1");
    }
}
