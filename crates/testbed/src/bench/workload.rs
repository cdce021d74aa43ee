//! The objects of a bench: a Secret, two classes that differ in size only, one MachineDeployment.

use serde_json::{Value, json};

use super::arguments::Surge;
use crate::ours::CONTROL_NAMESPACE;

/// The MachineDeployment's name.
pub(super) const DEPLOYMENT: &str = "bench";

/// One of the two classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// The first machines'.
    Old,
    /// What they are replaced by.
    New,
}

impl Class {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Old => "bench-v1",
            Self::New => "bench-v2",
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }

    fn size(self) -> &'static str {
        match self {
            Self::Old => "small",
            Self::New => "medium",
        }
    }
}

/// The Secret. Its user data has no placeholder, so no machine needs a bootstrap token.
pub(super) fn secret(token: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": DEPLOYMENT, "namespace": CONTROL_NAMESPACE },
        "stringData": { "token": token, "userData": "#cloud-config\n" },
    })
}

/// A class whose VMs are nodes one second after they were asked for, registered by the simulated cloud.
pub(super) fn class(class: Class, endpoint: &str) -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineClass",
        "metadata": { "name": class.name(), "namespace": CONTROL_NAMESPACE },
        "provider": "local",
        "secretRef": { "name": DEPLOYMENT, "namespace": CONTROL_NAMESPACE },
        "providerSpec": {
            "endpoint": endpoint,
            "size": class.size(),
            "image": "ubuntu-24.04",
            "zone": "local-a",
            "diskGiB": 20,
            "network": "default",
            "tags": { "kubernetes.io/cluster/bench": "1", "kubernetes.io/role/node": "1" },
            "boot": { "mode": "direct", "delay": "1s" },
        },
    })
}

/// The MachineDeployment.
pub(super) fn deployment(machines: u32) -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineDeployment",
        "metadata": { "name": DEPLOYMENT, "namespace": CONTROL_NAMESPACE },
        "spec": {
            "replicas": machines,
            "selector": { "matchLabels": { "name": DEPLOYMENT } },
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 },
            },
            "template": {
                "metadata": { "labels": { "name": DEPLOYMENT } },
                "spec": { "class": { "kind": "MachineClass", "name": Class::Old.name() } },
            },
        },
    })
}

/// A pod that ends at once: nobody here is a kubelet.
pub(super) fn pod(node: &str, number: u32) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": format!("{node}-{number}"), "namespace": CONTROL_NAMESPACE },
        "spec": {
            "nodeName": node,
            // Any will do; the one called default comes from a controller that does not run here.
            "serviceAccountName": "millwright-controller",
            "terminationGracePeriodSeconds": 0,
            "automountServiceAccountToken": false,
            "tolerations": [{ "operator": "Exists" }],
            "containers": [{ "name": "none", "image": "none" }],
        },
    })
}

/// The change that replaces every machine.
pub(super) fn roll(to: Class, surge: &Surge) -> Value {
    json!({
        "spec": {
            "strategy": { "rollingUpdate": { "maxSurge": surge.to_json(), "maxUnavailable": 0 } },
            "template": { "spec": { "class": { "name": to.name() } } },
        },
    })
}

/// The change of the number of machines.
pub(super) fn scale(machines: u32) -> Value {
    json!({ "spec": { "replicas": machines } })
}
