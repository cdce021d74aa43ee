//! What an account is like: who may log in, what stands in it from the beginning, how long things take.

use std::time::Duration;

/// An image of the marketplace.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Who publishes it.
    pub publisher: &'static str,
    /// The offer.
    pub offer: &'static str,
    /// The SKU.
    pub sku: &'static str,
    /// Its only version.
    pub version: &'static str,
    /// Whether it is sold under a plan whose terms must be accepted first.
    pub plan: Option<&'static str>,
}

/// An account. The defaults are those of a small cluster.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory that knows the client.
    pub tenant: &'static str,
    /// The client.
    pub client_id: &'static str,
    /// Its secret, to begin with.
    pub client_secret: &'static str,
    /// The subject of the only assertion that is taken in the secret's place.
    pub assertion_subject: &'static str,
    /// The subscription.
    pub subscription: &'static str,
    /// The resource groups in it.
    pub resource_groups: &'static [&'static str],
    /// The subnets, each as resource group, network and subnet.
    pub subnets: &'static [(&'static str, &'static str, &'static str)],
    /// Where everything is.
    pub location: &'static str,
    /// The images there are.
    pub images: &'static [Image],
    /// How long a token is good.
    pub token_lifetime: Duration,
    /// What `Retry-After` says.
    pub retry_after: Duration,
    /// How long the creation and the update of a VM take.
    pub vm_takes: Duration,
    /// How long the deletion of a VM takes.
    pub vm_deletion_takes: Duration,
    /// How long the creation of an interface takes; with zero it succeeds in the first answer, as it mostly does in Azure.
    pub nic_takes: Duration,
    /// How long the creation of a disk and the deletion of anything but a VM take.
    pub others_take: Duration,
    /// How many entries one page of a list has.
    pub page: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tenant: "11111111-1111-4111-8111-111111111111",
            client_id: "22222222-2222-4222-8222-222222222222",
            client_secret: "secret-of-the-suite~1",
            assertion_subject: "system:serviceaccount:millwright-system:millwright-controller",
            subscription: "33333333-3333-4333-8333-333333333333",
            resource_groups: &["shoot-one", "shoot-one-network"],
            subnets: &[
                ("shoot-one", "shoot-one-vnet", "nodes"),
                ("shoot-one-network", "shared-vnet", "nodes"),
            ],
            location: "westeurope",
            images: &[
                Image {
                    publisher: "Canonical",
                    offer: "ubuntu-24_04-lts",
                    sku: "server",
                    version: "24.04.202601140",
                    plan: None,
                },
                Image {
                    publisher: "sap",
                    offer: "gardenlinux",
                    sku: "greatest",
                    version: "1877.5.0",
                    plan: Some("greatest"),
                },
            ],
            token_lifetime: Duration::from_secs(3599),
            retry_after: Duration::from_secs(1),
            vm_takes: Duration::from_millis(20),
            vm_deletion_takes: Duration::from_millis(20),
            nic_takes: Duration::ZERO,
            others_take: Duration::from_millis(10),
            page: 10,
        }
    }
}
