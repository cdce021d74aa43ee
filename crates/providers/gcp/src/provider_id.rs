//! Provider ids: `gce:///PROJECT/ZONE/NAME`, and `gce://PROJECT/ZONE/NAME` as the cloud controller manager writes it.

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

use crate::names::{is_name, is_project};

const SCHEME: &str = "gce://";

/// Where a VM is, as its id says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VmPlace<'a> {
    pub(crate) project: &'a str,
    pub(crate) zone: &'a str,
    pub(crate) name: &'a str,
}

/// In which of its two forms an id is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IdForm {
    /// `gce:///PROJECT/ZONE/NAME`.
    #[default]
    ThreeSlashes,
    /// `gce://PROJECT/ZONE/NAME`, the node's own.
    #[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls write it"))]
    TwoSlashes,
}

impl<'a> VmPlace<'a> {
    /// Reads an id in any of its forms.
    pub(crate) fn of(provider_id: &'a str) -> Result<Self, ProviderError> {
        let rest = provider_id.strip_prefix(SCHEME).map(|rest| rest.strip_prefix('/').unwrap_or(rest));
        let parts: Vec<&str> = rest.unwrap_or_default().split('/').collect();
        match parts.as_slice() {
            &[project, zone, name] if is_project(project) && is_name(zone) && is_name(name) => {
                Ok(Self { project, zone, name })
            }
            _ => Err(ProviderError::new(
                MachineCode::InvalidArgument,
                format!(
                    "provider id {provider_id:?} is not of Compute Engine; its ids are gce:///PROJECT/ZONE/NAME or \
                     gce://PROJECT/ZONE/NAME"
                ),
            )),
        }
    }

    /// The id in that form.
    pub(crate) fn id(&self, form: IdForm) -> String {
        let Self { project, zone, name } = self;
        let slash = match form {
            IdForm::ThreeSlashes => "/",
            IdForm::TwoSlashes => "",
        };
        format!("{SCHEME}{slash}{project}/{zone}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_name_the_same_vm() {
        let place = VmPlace { project: "p-1", zone: "europe-west1-b", name: "worker-1" };
        for form in [IdForm::ThreeSlashes, IdForm::TwoSlashes] {
            assert_eq!(VmPlace::of(&place.id(form)).unwrap(), place);
        }
        assert_eq!(place.id(IdForm::ThreeSlashes), "gce:///p-1/europe-west1-b/worker-1");
        assert_eq!(place.id(IdForm::TwoSlashes), "gce://p-1/europe-west1-b/worker-1");
    }

    #[test]
    fn ids_of_others_are_refused() {
        for id in [
            "",
            "gce://",
            "gce:///p/z",
            "gce:///p/z/n/x",
            "gce:////p/z/n",
            "gce:///p/../n",
            "gce:///p/z/n?x=y",
            "gce:///p/z/n%2f",
            "aws:///eu-west-1/i-1",
        ] {
            assert_eq!(VmPlace::of(id).unwrap_err().code, MachineCode::InvalidArgument, "{id}");
        }
    }
}
