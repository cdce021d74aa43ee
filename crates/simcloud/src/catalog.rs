//! What the simulated cloud sells: sizes with prices, images and zones.
//!
//! The built-in catalog is what samples, tests and the demo name; a configuration file
//! may replace any of the three lists.

use serde::{Deserialize, Serialize};

/// A VM size and its price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Size {
    /// What requests call it.
    pub name: String,
    /// Virtual processors.
    pub cpu: u32,
    /// Memory in MiB.
    #[serde(rename = "memoryMiB")]
    pub memory_mib: u64,
    /// Graphics processors.
    #[serde(default)]
    pub gpu: u32,
    /// What an hour of it costs, in the cloud's currency.
    pub price_per_hour: f64,
}

/// A VM image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Image {
    /// What requests call it.
    pub name: String,
    /// The operating system's full name, as a node reports it.
    pub os_image: String,
    /// Processor architecture in Go's spelling.
    pub architecture: String,
}

/// A zone of the one region this cloud has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Zone {
    /// What requests call it.
    pub name: String,
    /// The region it belongs to.
    pub region: String,
}

/// Everything on offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Catalog {
    /// Sizes, cheapest first.
    pub sizes: Vec<Size>,
    /// Images.
    pub images: Vec<Image>,
    /// Zones.
    pub zones: Vec<Zone>,
}

impl Catalog {
    /// The size of that name.
    pub fn size(&self, name: &str) -> Option<&Size> {
        self.sizes.iter().find(|size| size.name == name)
    }

    /// The image of that name.
    pub fn image(&self, name: &str) -> Option<&Image> {
        self.images.iter().find(|image| image.name == name)
    }

    /// The zone of that name.
    pub fn zone(&self, name: &str) -> Option<&Zone> {
        self.zones.iter().find(|zone| zone.name == name)
    }
}

impl Default for Catalog {
    fn default() -> Self {
        let size = |name: &str, cpu, gib: u64, gpu, price_per_hour| Size {
            name: name.to_owned(),
            cpu,
            memory_mib: gib * 1024,
            gpu,
            price_per_hour,
        };
        let image = |name: &str, os_image: &str| Image {
            name: name.to_owned(),
            os_image: os_image.to_owned(),
            architecture: "amd64".to_owned(),
        };
        let zone = |name: &str| Zone { name: name.to_owned(), region: "local".to_owned() };
        Self {
            sizes: vec![
                size("small", 2, 4, 0, 0.05),
                size("medium", 4, 8, 0, 0.10),
                size("large", 8, 32, 0, 0.30),
                size("gpu", 8, 64, 1, 1.20),
            ],
            images: vec![
                image("ubuntu-24.04", "Ubuntu 24.04 LTS"),
                image("ubuntu-22.04", "Ubuntu 22.04 LTS"),
                image("flatcar-stable", "Flatcar Container Linux by Kinvolk (stable)"),
            ],
            zones: vec![zone("local-a"), zone("local-b"), zone("local-c")],
        }
    }
}
