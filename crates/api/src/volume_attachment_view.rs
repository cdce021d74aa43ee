//! The part of a VolumeAttachment that decisions read: which volume is attached to which node.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::wire::{null_as_default, trimmed_meta};

/// A storage.k8s.io/v1 VolumeAttachment, trimmed. Never sent back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachmentView {
    /// Object metadata, trimmed.
    #[serde(deserialize_with = "trimmed_meta")]
    pub metadata: ObjectMeta,
    /// What shall be attached where.
    #[serde(deserialize_with = "null_as_default")]
    pub spec: VolumeAttachmentViewSpec,
    /// What is.
    #[serde(deserialize_with = "null_as_default")]
    pub status: VolumeAttachmentViewStatus,
}

/// The spec's part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachmentViewSpec {
    /// Who attaches it: the name of the CSI driver.
    #[serde(deserialize_with = "null_as_default")]
    pub attacher: String,
    /// The node.
    #[serde(deserialize_with = "null_as_default")]
    pub node_name: String,
    /// The volume.
    #[serde(deserialize_with = "null_as_default")]
    pub source: VolumeSourceView,
}

/// Which volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeSourceView {
    /// Name of the PersistentVolume; empty for an inline volume.
    #[serde(deserialize_with = "null_as_default")]
    pub persistent_volume_name: String,
}

/// The status's part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAttachmentViewStatus {
    /// The volume is attached.
    #[serde(deserialize_with = "null_as_default")]
    pub attached: bool,
}
