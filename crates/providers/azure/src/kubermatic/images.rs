//! Images of the operating systems in Azure's marketplace.

use millwright_provider::kubermatic::OperatingSystem;

use crate::spec::{Image, Plan, PurchasePlan};
use crate::urn::Urn;

/// The image of an operating system on VMs of a size, and what is bought with it.
pub(super) fn of(system: OperatingSystem, size: &str) -> (Image, Plan) {
    let ubuntu = if boots_uefi(size) { "server" } else { "server-gen1" };
    let (publisher, offer, sku, version) = match system {
        // There is none of Amazon Linux here; the rules say so.
        OperatingSystem::Ubuntu | OperatingSystem::Amzn2 => {
            ("Canonical", "ubuntu-24_04-lts", ubuntu, "latest")
        }
        OperatingSystem::Rhel => ("RedHat", "rhel-byos", "rhel-lvm95", "9.5.2024112215"),
        OperatingSystem::Flatcar => ("kinvolk", "flatcar-container-linux-corevm-amd64", "stable", "4459.2.3"),
        OperatingSystem::RockyLinux => ("resf", "rockylinux-x86_64", "9-base", "9.6.20250531"),
    };
    let urn = Urn {
        publisher: publisher.to_owned(),
        offer: offer.to_owned(),
        sku: sku.to_owned(),
        version: version.to_owned(),
    };
    let is_bought = matches!(system, OperatingSystem::Rhel | OperatingSystem::RockyLinux);
    let plan = if is_bought {
        Plan::Given(PurchasePlan {
            name: sku.to_owned(),
            publisher: publisher.to_lowercase(),
            product: offer.to_owned(),
        })
    } else {
        Plan::None
    };
    (Image::Marketplace(urn), plan)
}

/// The user whose key Azure wants.
pub(super) const fn admin(system: OperatingSystem) -> &'static str {
    match system {
        OperatingSystem::Flatcar => "core",
        other => other.as_str(),
    }
}

/// Whether a size boots images of the second generation, by its name: from the fourth version of a series on all do, before it
/// those with premium disks (`s` behind the number of cores, or in the series' old names).
fn boots_uefi(size: &str) -> bool {
    let name = size.strip_prefix("Standard_").unwrap_or(size);
    let mut parts = name.split('_');
    let core = parts.next().unwrap_or_default();
    let version =
        parts.filter_map(|part| part.strip_prefix('v')?.parse::<u32>().ok()).next_back().unwrap_or(1);
    let after_cores = core.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    let series = core.len() - after_cores.len();
    let has_premium = after_cores.contains('s') || (series > 1 && core[..series].ends_with('S'));
    !size.starts_with("Basic_") && (version >= 4 || has_premium)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generation_of_an_image_goes_by_the_name_of_the_size() {
        for (size, uefi) in [
            ("Standard_B2s", true),
            ("Standard_D2_v3", false),
            ("Standard_D2s_v3", true),
            ("Standard_DS2_v2", true),
            ("Standard_D2_v2", false),
            ("Standard_D2_v5", true),
            ("Standard_D4ads_v5", true),
            ("Standard_A2_v2", false),
            ("Basic_A1", false),
            ("Standard_F8s_v2", true),
            ("Standard_F8", false),
            ("Standard_NC6s_v3", true),
            ("Standard_M128-32ms", true),
            ("Standard_E64-16s_v3", true),
            ("", false),
            ("ü", false),
        ] {
            assert_eq!(boots_uefi(size), uefi, "{size}");
        }
    }
}
