//! A thing in an account, as it is kept.

use std::time::Instant;

use serde_json::{Value, json};

/// Kinds of things that can be made and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Vm,
    Disk,
    Nic,
    PublicIp,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Vm, Self::Disk, Self::Nic, Self::PublicIp];

    pub(super) const fn namespace(self) -> &'static str {
        match self {
            Self::Vm | Self::Disk => "Microsoft.Compute",
            Self::Nic | Self::PublicIp => "Microsoft.Network",
        }
    }

    pub(super) const fn collection(self) -> &'static str {
        match self {
            Self::Vm => "virtualMachines",
            Self::Disk => "disks",
            Self::Nic => "networkInterfaces",
            Self::PublicIp => "publicIPAddresses",
        }
    }

    pub(super) fn type_name(self) -> String {
        format!("{}/{}", self.namespace(), self.collection())
    }
}

/// Names things without regard to case, as Azure does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) kind: Kind,
    group: String,
    name: String,
}

impl Key {
    pub(super) fn new(kind: Kind, group: &str, name: &str) -> Self {
        Self { kind, group: group.to_ascii_lowercase(), name: name.to_ascii_lowercase() }
    }

    /// Of a resource id, if it is one of that kind.
    pub(super) fn of_id(kind: Kind, id: &str) -> Option<Self> {
        let parts: Vec<&str> = id.split('/').collect();
        match parts.as_slice() {
            ["", subscriptions, _, groups, group, providers, namespace, collection, name]
                if subscriptions.eq_ignore_ascii_case("subscriptions")
                    && groups.eq_ignore_ascii_case("resourceGroups")
                    && providers.eq_ignore_ascii_case("providers")
                    && namespace.eq_ignore_ascii_case(kind.namespace())
                    && collection.eq_ignore_ascii_case(kind.collection()) =>
            {
                Some(Self::new(kind, group, name))
            }
            _ => None,
        }
    }
}

/// A thing.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) group: String,
    pub(super) kind: Kind,
    /// Everything of its representation but what is computed: location, tags, zones, identity, plan, properties.
    pub(super) body: Value,
    pub(super) state: &'static str,
    /// What is kept and never shown.
    pub(super) custom_data: Option<String>,
    /// A volume that a test attached, not a part of a VM.
    pub(super) is_volume: bool,
    /// When lists begin to show it.
    pub(super) listed_from: Instant,
    /// Counts its changes.
    pub(super) version: u64,
}

impl Resource {
    /// As one reads it.
    pub(super) fn shown(&self) -> Value {
        let mut shown = self.body.clone();
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("id".into(), json!(self.id));
            fields.insert("name".into(), json!(self.name));
            fields.insert("type".into(), json!(self.kind.type_name()));
            fields.insert("etag".into(), json!(format!("\"{}\"", self.version)));
        }
        shown["properties"]["provisioningState"] = json!(self.state);
        if let Some(profile) = shown.pointer_mut("/properties/osProfile").and_then(Value::as_object_mut) {
            profile.remove("customData");
            profile.remove("adminPassword");
        }
        shown
    }

    /// As a list of Compute shows it: with the resource group in capitals, as the real one often does.
    pub(super) fn shown_in_list(&self) -> Value {
        let mut shown = self.shown();
        if self.kind.namespace() == "Microsoft.Compute" {
            let capitals = format!("/resourceGroups/{}/", self.group.to_ascii_uppercase());
            shown["id"] = json!(self.id.replace(&format!("/resourceGroups/{}/", self.group), &capitals));
        }
        shown
    }
}
