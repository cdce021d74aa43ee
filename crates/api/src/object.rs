//! Tells kube's generic client what each kind is called and where its metadata is.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::{ClusterResourceScope, NamespaceResourceScope, Resource};

use crate::{
    GROUP, Machine, MachineClass, MachineDeployment, MachineSet, NodeView, VERSION, VolumeAttachmentView,
};

macro_rules! resource {
    ($type:ident: $scope:ident, $group:expr, $version:expr, $kind:literal, $plural:literal) => {
        impl Resource for $type {
            type DynamicType = ();
            type Scope = $scope;

            fn kind((): &()) -> Cow<'_, str> {
                $kind.into()
            }
            fn group((): &()) -> Cow<'_, str> {
                $group.into()
            }
            fn version((): &()) -> Cow<'_, str> {
                $version.into()
            }
            fn plural((): &()) -> Cow<'_, str> {
                $plural.into()
            }
            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    };
}

resource!(MachineClass: NamespaceResourceScope, GROUP, VERSION, "MachineClass", "machineclasses");
resource!(Machine: NamespaceResourceScope, GROUP, VERSION, "Machine", "machines");
resource!(MachineSet: NamespaceResourceScope, GROUP, VERSION, "MachineSet", "machinesets");
resource!(MachineDeployment: NamespaceResourceScope, GROUP, VERSION, "MachineDeployment", "machinedeployments");
resource!(NodeView: ClusterResourceScope, "", "v1", "Node", "nodes");
resource!(VolumeAttachmentView: ClusterResourceScope, "storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments");

/// A unit type that serialises as the kind's name, so that every object we send carries its kind.
macro_rules! kind_tag {
    ($tag:ident, $name:literal) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct $tag;

        impl serde::Serialize for $tag {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($name)
            }
        }
    };
}

kind_tag!(MachineClassKind, "MachineClass");
kind_tag!(MachineKind, "Machine");
kind_tag!(MachineSetKind, "MachineSet");
kind_tag!(MachineDeploymentKind, "MachineDeployment");
