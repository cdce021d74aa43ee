//! Provider ids: `openstack:///REGION/UUID` as Gardener writes them, `openstack:///UUID` as Kubermatic and the cloud controller
//! manager may. Both are read; to compare them the region is left out, because the id of a server is unique without it.

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

const SCHEME: &str = "openstack://";

/// How a provider id is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdForm {
    /// `openstack:///REGION/UUID`.
    WithRegion,
    /// `openstack:///UUID`.
    WithoutRegion,
}

impl IdForm {
    /// The provider id of a server.
    #[cfg(feature = "client")]
    pub(crate) fn write(self, region: &str, server: &str) -> String {
        match self {
            Self::WithRegion => format!("{SCHEME}/{region}/{server}"),
            Self::WithoutRegion => format!("{SCHEME}/{server}"),
        }
    }
}

/// The server's id inside a provider id, which must be of that region if it names one: nobody there knows others, and a server that
/// is unknown there is not gone for that.
#[cfg(feature = "client")]
pub(crate) fn server_in<'a>(provider_id: &'a str, region: &str) -> Result<&'a str, ProviderError> {
    let (named, id) = parts(provider_id)?;
    if named.is_none_or(|named| named == region) {
        return Ok(id);
    }
    let message =
        format!("provider id {provider_id:?} names a server outside of {region:?}, the region of the class");
    Err(ProviderError::new(MachineCode::InvalidArgument, message))
}

/// The region, if there is one, and the server's id inside a provider id.
fn parts(provider_id: &str) -> Result<(Option<&str>, &str), ProviderError> {
    let is_id = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let rest = provider_id.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
    let found = rest.filter(|(host, _)| host.is_empty()).map(|(_, path)| match path.rsplit_once('/') {
        None => (None, path),
        Some((region, id)) => (Some(region), id),
    });
    let is_region =
        |region: Option<&str>| region.is_none_or(|region| !region.is_empty() && !region.contains('/'));
    found.filter(|(region, id)| is_region(*region) && is_id(id)).ok_or_else(|| {
        let message = format!(
            "provider id {provider_id:?} is not of OpenStack; its ids are {SCHEME}/<region>/<server> or {SCHEME}/<server>"
        );
        ProviderError::new(MachineCode::InvalidArgument, message)
    })
}

/// The one spelling by which ids are compared.
pub(crate) fn canonical(provider_id: &str) -> Result<String, ProviderError> {
    parts(provider_id).map(|(_, id)| format!("{SCHEME}/{}", id.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_read_from_either_form() {
        for id in ["openstack:///RegionOne/0b1c-2d", "openstack:///0b1c-2d"] {
            assert_eq!(parts(id).unwrap().1, "0b1c-2d");
            assert_eq!(canonical(id).unwrap(), "openstack:///0b1c-2d");
        }
        assert_eq!(canonical("openstack:///eu-de 1/0B1C").unwrap(), "openstack:///0b1c");
    }

    #[cfg(feature = "client")]
    #[test]
    fn a_server_of_another_region_is_not_taken_for_one_that_is_gone() {
        for id in ["openstack:///RegionOne/0b1c-2d", "openstack:///0b1c-2d"] {
            assert_eq!(server_in(id, "RegionOne").unwrap(), "0b1c-2d");
        }
        let refused = server_in("openstack:///RegionTwo/0b1c-2d", "RegionOne").unwrap_err();
        assert_eq!(refused.code, MachineCode::InvalidArgument);
        assert!(refused.message.contains("outside of \"RegionOne\""), "{refused}");
    }

    #[test]
    fn ids_of_others_are_refused() {
        for id in [
            "",
            "openstack:///",
            "openstack:///region/",
            "openstack:////0b1c",
            "openstack:///a/b/0b1c",
            "openstack://region/0b1c",
            "openstack:///region/..%2f",
            "aws:///eu-west-1/i-1",
            "nobodys-cloud:///zone/vm-1",
        ] {
            assert_eq!(parts(id).unwrap_err().code, MachineCode::InvalidArgument, "{id}");
        }
    }
}
