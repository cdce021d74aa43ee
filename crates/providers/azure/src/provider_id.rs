//! Provider ids: `azure:///<location>/<vm>` as Gardener's provider writes them, and `azure://` with the whole resource id of the
//! VM as Azure's cloud controller and Kubermatic do. Case does not matter to Azure.

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

const SCHEME: &str = "azure://";

/// How the ids of a class are written.
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls write ids"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdForm {
    /// `azure:///<location>/<vm>`.
    Location,
    /// `azure://` and the resource id.
    ResourceId,
}

/// What an id says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadId<'a> {
    /// The VM's name.
    pub(crate) vm: &'a str,
    /// Subscription and resource group, where the id names them.
    pub(crate) place: Option<(&'a str, &'a str)>,
}

/// The id of a VM in Gardener's form.
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls write ids"))]
pub(crate) fn by_location(location: &str, vm: &str) -> String {
    format!("{SCHEME}/{location}/{vm}")
}

/// The id of a VM in the cloud controller's form.
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls write ids"))]
pub(crate) fn by_resource_id(subscription: &str, resource_group: &str, vm: &str) -> String {
    format!(
        "{SCHEME}/subscriptions/{subscription}/resourceGroups/{resource_group}/providers/Microsoft.Compute/virtualMachines/{vm}"
    )
}

/// The one text that stands for all ids of a VM. The two forms share nothing but the VM's name, which is unique in its
/// resource group; ids are only compared within one.
pub(crate) fn canonical(id: &str) -> Result<String, ProviderError> {
    Ok(format!("{SCHEME}/{}", read(id)?.vm.to_lowercase()))
}

/// Reads an id in either form.
pub(crate) fn read(id: &str) -> Result<ReadId<'_>, ProviderError> {
    parts(id).ok_or_else(|| {
        ProviderError::new(
            MachineCode::InvalidArgument,
            format!(
                "provider id {id:?} is not of Azure; its ids are {SCHEME}/<location>/<vm>, or {SCHEME} and the VM's resource id"
            ),
        )
    })
}

fn parts(id: &str) -> Option<ReadId<'_>> {
    let (scheme, rest) = id.split_at_checked(SCHEME.len())?;
    let path = rest.strip_prefix('/').filter(|_| scheme.eq_ignore_ascii_case(SCHEME))?;
    let parts: Vec<&str> = path.split('/').collect();
    // A location may be written as people do, "West Europe": Gardener's provider copies it from the class.
    let location = match *parts.as_slice() {
        [location, _] => Some(location.replace(' ', "")),
        _ => None,
    };
    let (vm, folders) = parts.split_last()?;
    let are_names = match &location {
        Some(location) => is_name(location),
        None => folders.iter().all(|part| is_name(part)),
    };
    if !is_name(vm) || !are_names {
        return None;
    }
    let is = |part: &str, word: &str| part.eq_ignore_ascii_case(word);
    match *parts.as_slice() {
        [vm] | [_, vm] => Some(ReadId { vm, place: None }),
        [subscriptions, subscription, groups, group, providers, compute, machines, vm]
            if is(subscriptions, "subscriptions")
                && is(groups, "resourceGroups")
                && is(providers, "providers")
                && is(compute, "Microsoft.Compute")
                && is(machines, "virtualMachines") =>
        {
            Some(ReadId { vm, place: Some((subscription, group)) })
        }
        _ => None,
    }
}

/// Letters, digits and what Azure allows beside them; a resource group may have letters of any script and brackets.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| letter.is_alphanumeric() || "-_.()".contains(letter))
        && text != ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str =
        "azure:///subscriptions/0-1/resourceGroups/rg(1)/providers/Microsoft.Compute/virtualMachines/vm-1";

    #[test]
    fn both_forms_mean_the_same_vm() {
        for id in [
            "azure:///westeurope/vm-1",
            "azure:///WestEurope/VM-1",
            "azure:///West Europe/vm-1",
            ARM,
            &ARM.to_uppercase(),
            "azure:///vm-1",
        ] {
            assert_eq!(canonical(id).unwrap(), "azure:///vm-1", "{id}");
        }
        assert_eq!(read(ARM).unwrap().place, Some(("0-1", "rg(1)")));
        assert_eq!(by_resource_id("0-1", "rg(1)", "vm-1"), ARM);
        assert_eq!(by_location("westeurope", "vm-1"), "azure:///westeurope/vm-1");
    }

    #[test]
    fn ids_of_others_are_refused() {
        for id in [
            "",
            "azure://",
            "azure:///",
            "azure:///westeurope/",
            "azure:////vm",
            "azure:///a/b/c",
            "aws:///eu-west-1/i-1",
            "azure:///westeurope/..",
            "azure:///westeurope/v m",
            "azure:///../vm",
            "azure:///westeurope/vm?x=y",
            "azure:///westeurope/%2e",
            "azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/vm",
            "azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/s/virtualMachines/0",
        ] {
            assert_eq!(read(id).unwrap_err().code, MachineCode::InvalidArgument, "{id}");
        }
    }
}
