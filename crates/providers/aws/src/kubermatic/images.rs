//! Where the publishers of operating systems put their images, and how those call their root disk.

use millwright_provider::kubermatic::OperatingSystem;

use crate::spec::Image;

/// The newest image of an operating system; the name fits every architecture.
pub(super) fn newest(system: OperatingSystem) -> Image {
    let (owner, name) = match system {
        OperatingSystem::Ubuntu => {
            ("099720109477", "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-*-server-*")
        }
        OperatingSystem::Amzn2 => ("137112412989", "amzn2-ami-hvm-2.0.*-gp2"),
        OperatingSystem::Rhel => ("309956199498", "RHEL-9*_HVM-*"),
        OperatingSystem::Flatcar => ("075585003325", "Flatcar-stable-*-hvm"),
        OperatingSystem::RockyLinux => ("792107900819", "Rocky-9-EC2-Base-9*"),
    };
    Image::Newest { owner: owner.to_owned(), name: name.to_owned() }
}

/// What its images call their root disk; it must be said to give that disk another size.
pub(super) const fn root_device(system: OperatingSystem) -> &'static str {
    match system {
        OperatingSystem::Ubuntu | OperatingSystem::Rhel | OperatingSystem::RockyLinux => "/dev/sda1",
        OperatingSystem::Amzn2 | OperatingSystem::Flatcar => "/dev/xvda",
    }
}
