//! Where the publishers of operating systems put their images.

use millwright_provider::kubermatic::OperatingSystem;

/// The newest image of an operating system; none when nobody publishes one here.
pub(super) const fn family(system: OperatingSystem) -> Option<&'static str> {
    match system {
        OperatingSystem::Ubuntu => {
            Some("projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64")
        }
        OperatingSystem::Flatcar => Some("projects/kinvolk-public/global/images/family/flatcar-stable"),
        OperatingSystem::Amzn2 | OperatingSystem::Rhel | OperatingSystem::RockyLinux => None,
    }
}

/// An own image: a path stays as it is, a name is one of the project's.
pub(super) fn own(image: &str) -> String {
    if image.contains('/') { image.to_owned() } else { format!("global/images/{image}") }
}
