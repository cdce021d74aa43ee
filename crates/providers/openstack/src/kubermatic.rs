//! Kubermatic's words for a spec (`cloudProvider: openstack`), and what it asks of them.
//!
//! What is read here has no references and no secrets in it any more; see `millwright_provider::kubermatic`. Floating addresses,
//! ports without port security and ready-made tokens are refused. What Kubermatic finds out by asking the cloud when there is only
//! one (region, network) must be written: manifests that it has stored say it.

mod rules;
mod vocabulary;

use std::collections::BTreeMap;

use millwright_provider::kubermatic::{ClusterRole, MachineConfig};
use millwright_provider::{ClassView, ProviderError};
use serde::Deserialize;

pub(crate) use rules::{DISK, FORM, NETWORK, NOT_SERVED, TAGS, validate};
pub(crate) use vocabulary::VOCABULARY;

use crate::home::Home;
use crate::scope::{CLUSTER_MARK, ROLE_MARK};
use crate::spec::{AttachedNetwork, Named, Networks, RootDisk, Spec, Traffic};

/// The group that Kubermatic makes for servers that name none.
const SECURITY_GROUP: &str = "kubernetes-v1";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    image: String,
    flavor: String,
    #[serde(default)]
    security_groups: Vec<String>,
    network: Option<String>,
    #[serde(default)]
    networks: Vec<String>,
    availability_zone: Option<String>,
    #[serde(rename = "rootDiskSizeGB")]
    root_disk_size_gb: Option<u32>,
    root_disk_volume_type: Option<String>,
    server_group: Option<String>,
    config_drive: Option<bool>,
    tags: Option<BTreeMap<String, String>>,
}

/// The spec of a class in Kubermatic's dialect.
pub(crate) fn decode(class: &ClassView<'_>) -> Result<Spec, ProviderError> {
    let MachineConfig { cloud: written, owner, .. } =
        MachineConfig::<Written>::read(class, &validate(class))?;
    let mut names: Vec<String> = Vec::new();
    for name in written.network.into_iter().chain(written.networks) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let attach = |name| AttachedNetwork { network: Named::Either(name), traffic: Traffic::Nodes };
    let security_groups = if written.security_groups.is_empty() {
        vec![SECURITY_GROUP.to_owned()]
    } else {
        written.security_groups
    };
    let root_disk = match (written.root_disk_size_gb.filter(|gib| *gib > 0), written.root_disk_volume_type) {
        (None, _) => RootDisk::OfFlavor,
        (Some(gib), None) => RootDisk::OfSize { gib },
        (Some(gib), Some(volume_type)) => RootDisk::Volume { gib, volume_type },
    };
    let mut tags = written.tags.unwrap_or_default();
    tags.extend(scope_tags(&owner).map(|key| (key, "1".to_owned())));
    Ok(Spec {
        home: Home::of(class)?,
        availability_zone: written.availability_zone,
        flavor: written.flavor,
        image: Named::Either(written.image),
        key_name: None,
        networks: Networks::Attached(names.into_iter().map(attach).collect()),
        security_groups,
        pod_cidrs: Vec::new(),
        root_disk,
        config_drive: written.config_drive,
        server_group: written.server_group,
        tags,
    })
}

/// The keys that a class in Gardener's dialect would have.
pub(crate) fn scope_tags(owner: &ClusterRole) -> [String; 2] {
    [format!("{CLUSTER_MARK}{}", owner.cluster), format!("{ROLE_MARK}{}", owner.role)]
}

#[cfg(test)]
mod tests;
