//! Tells kube's generic client what each kind is called and where its metadata is.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::{NamespaceResourceScope, Resource};

use crate::{API_VERSION, GROUP, Machine, MachineClass, MachineDeployment, MachineSet, VERSION};

macro_rules! resource {
    ($kind:ident, $plural:literal) => {
        impl Resource for $kind {
            type DynamicType = ();
            type Scope = NamespaceResourceScope;

            fn kind((): &()) -> Cow<'_, str> {
                stringify!($kind).into()
            }
            fn group((): &()) -> Cow<'_, str> {
                GROUP.into()
            }
            fn version((): &()) -> Cow<'_, str> {
                VERSION.into()
            }
            fn api_version((): &()) -> Cow<'_, str> {
                API_VERSION.into()
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

resource!(MachineClass, "machineclasses");
resource!(Machine, "machines");
resource!(MachineSet, "machinesets");
resource!(MachineDeployment, "machinedeployments");

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
