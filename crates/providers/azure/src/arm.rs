//! Addresses of Resource Manager.

/// Of VMs, availability sets, images.
pub(crate) const COMPUTE: &str = "2024-07-01";
pub(crate) const DISKS: &str = "2024-03-02";
pub(crate) const NETWORK: &str = "2024-03-01";
pub(crate) const AGREEMENTS: &str = "2021-01-01";

/// A subscription and a resource group in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) subscription: &'a str,
    pub(crate) group: &'a str,
}

/// Types of resources that are made here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Vm,
    Nic,
    Disk,
}

impl Kind {
    const fn path(self) -> &'static str {
        match self {
            Self::Vm => "Microsoft.Compute/virtualMachines",
            Self::Nic => "Microsoft.Network/networkInterfaces",
            Self::Disk => "Microsoft.Compute/disks",
        }
    }

    pub(crate) const fn api_version(self) -> &'static str {
        match self {
            Self::Vm => COMPUTE,
            Self::Nic => NETWORK,
            Self::Disk => DISKS,
        }
    }
}

impl Place<'_> {
    /// The resource id of all of a type.
    pub(crate) fn all(&self, kind: Kind) -> String {
        format!(
            "/subscriptions/{}/resourceGroups/{}/providers/{}",
            segment(self.subscription),
            segment(self.group),
            kind.path()
        )
    }

    /// The resource id of one.
    pub(crate) fn one(&self, kind: Kind, name: &str) -> String {
        format!("{}/{}", self.all(kind), segment(name))
    }

    /// The resource id of a subnet.
    pub(crate) fn subnet(&self, network: &str, name: &str) -> String {
        let Self { subscription, group } = self;
        format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/{network}/subnets/{name}"
        )
    }
}

/// A part of a path; what is no name in it can lead nowhere else.
pub(crate) fn segment(text: &str) -> String {
    if matches!(text, "." | "..") {
        return "-".to_owned();
    }
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'(' | b')' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        let place = Place { subscription: "s", group: "rg/../../x?y" };
        assert_eq!(
            place.one(Kind::Nic, "vm-nic"),
            "/subscriptions/s/resourceGroups/rg%2F..%2F..%2Fx%3Fy/providers/Microsoft.Network/networkInterfaces/vm-nic"
        );
        assert_eq!(segment(".."), "-");
    }
}
