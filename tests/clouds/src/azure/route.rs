//! What a path asks for. Segments match without regard to case, as they do in Azure.

use http::Method;

use super::resource::{Key, Kind};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Token {
        tenant: String,
    },
    MetadataToken,
    /// Where a tenant's tokens are given.
    Discovery {
        tenant: String,
    },
    One {
        key: Key,
        group: String,
        name: String,
    },
    InstanceView(Key),
    List {
        kind: Kind,
        group: Option<String>,
    },
    Operation {
        id: String,
    },
    OperationResult {
        id: String,
    },
    ResourceGroup(String),
    Subnet {
        group: String,
        network: String,
        subnet: String,
    },
    Image {
        publisher: String,
        offer: String,
        sku: String,
        version: Option<String>,
    },
    Agreement {
        publisher: String,
        offer: String,
        plan: String,
    },
    Skus,
    /// Something that only a test puts there.
    Prop,
}

/// A path that leads somewhere: the subscription, where it has one, the namespace whose versions count, and what is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) subscription: Option<String>,
    pub(super) namespace: &'static str,
    pub(super) route: Route,
}

const COMPUTE: &str = "Microsoft.Compute";
const NETWORK: &str = "Microsoft.Network";
const RESOURCES: &str = "Microsoft.Resources";
const MARKETPLACE: &str = "Microsoft.MarketplaceOrdering";

const OF_VMS: &[&str] = &[
    "2021-07-01",
    "2022-08-01",
    "2023-09-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-04-01",
    "2025-11-01",
    "2026-03-01",
    "2026-04-01",
];
const OF_DISKS: &[&str] =
    &["2022-07-02", "2023-04-02", "2023-10-02", "2024-03-02", "2025-01-02", "2026-03-02", "2026-03-03"];
const OF_NETWORK: &[&str] = &[
    "2022-07-01",
    "2023-11-01",
    "2024-01-01",
    "2024-03-01",
    "2024-05-01",
    "2025-01-01",
    "2025-05-01",
    "2026-03-01",
];

/// Kinds of Compute that are only ever read here.
const PROPS: &[&str] =
    &["availabilitysets", "virtualmachinescalesets", "capacityreservationgroups", "images"];

impl Place {
    pub(super) fn of(path: &str) -> Option<Self> {
        let whole: Vec<&str> = path.trim_matches('/').split('/').collect();
        let lower: Vec<String> = whole.iter().map(|part| part.to_ascii_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let text = |at: usize| whole[at].to_owned();
        let here = |namespace, route| Some(Self { subscription: Some(text(1)), namespace, route });
        match lower.as_slice() {
            [_, "oauth2", "v2.0", "token"] => {
                Some(Self { subscription: None, namespace: "", route: Route::Token { tenant: text(0) } })
            }
            [_, "v2.0", ".well-known", "openid-configuration"] => {
                Some(Self { subscription: None, namespace: "", route: Route::Discovery { tenant: text(0) } })
            }
            ["metadata", "identity", "oauth2", "token"] => {
                Some(Self { subscription: None, namespace: "", route: Route::MetadataToken })
            }
            ["subscriptions", _, "resourcegroups", _] => here(RESOURCES, Route::ResourceGroup(text(3))),
            [
                "subscriptions",
                _,
                "resourcegroups",
                _,
                "providers",
                "microsoft.network",
                "virtualnetworks",
                _,
                "subnets",
                _,
            ] => here(NETWORK, Route::Subnet { group: text(3), network: text(7), subnet: text(9) }),
            ["subscriptions", _, "resourcegroups", _, "providers", namespace, collection] => {
                let kind = kind(namespace, collection)?;
                here(kind.namespace(), Route::List { kind, group: Some(text(3)) })
            }
            ["subscriptions", _, "providers", "microsoft.compute", "skus"] => here(COMPUTE, Route::Skus),
            ["subscriptions", _, "providers", namespace, collection] => {
                let kind = kind(namespace, collection)?;
                here(kind.namespace(), Route::List { kind, group: None })
            }
            ["subscriptions", _, "resourcegroups", _, "providers", "microsoft.compute", collection, _]
                if PROPS.contains(collection) =>
            {
                here(COMPUTE, Route::Prop)
            }
            ["subscriptions", _, "resourcegroups", _, "providers", namespace, collection, _] => {
                let kind = kind(namespace, collection)?;
                let key = Key::new(kind, whole[3], whole[7]);
                here(kind.namespace(), Route::One { key, group: text(3), name: text(7) })
            }
            [
                "subscriptions",
                _,
                "resourcegroups",
                _,
                "providers",
                "microsoft.compute",
                "virtualmachines",
                _,
                "instanceview",
            ] => here(COMPUTE, Route::InstanceView(Key::new(Kind::Vm, whole[3], whole[7]))),
            ["subscriptions", _, "providers", namespace, "locations", _, "operations", _] => {
                here(operations_of(namespace)?, Route::Operation { id: text(7) })
            }
            ["subscriptions", _, "providers", namespace, "locations", _, "operationresults", _] => {
                here(operations_of(namespace)?, Route::OperationResult { id: text(7) })
            }
            [
                "subscriptions",
                _,
                "providers",
                "microsoft.compute",
                "locations",
                _,
                "publishers",
                _,
                "artifacttypes",
                "vmimage",
                "offers",
                _,
                "skus",
                _,
                "versions",
                rest @ ..,
            ] if rest.len() <= 1 => {
                let version = whole.get(15).map(|&version| version.to_owned());
                here(COMPUTE, Route::Image { publisher: text(7), offer: text(11), sku: text(13), version })
            }
            [
                "subscriptions",
                _,
                "providers",
                "microsoft.marketplaceordering",
                "offertypes",
                "virtualmachine",
                "publishers",
                _,
                "offers",
                _,
                "plans",
                _,
                "agreements",
                "current",
            ] => here(MARKETPLACE, Route::Agreement { publisher: text(7), offer: text(9), plan: text(11) }),
            _ => None,
        }
    }

    /// What a request is called in the journal.
    pub(super) fn operation(&self, method: &Method) -> String {
        let what = match &self.route {
            Route::Token { .. } | Route::MetadataToken => return "token".to_owned(),
            Route::One { key, .. } => key.kind.collection().to_owned(),
            Route::Discovery { .. } => "discovery".to_owned(),
            Route::InstanceView(_) => "instanceView".to_owned(),
            Route::List { kind, .. } => return format!("LIST {}", kind.collection()),
            Route::Operation { .. } => "operations".to_owned(),
            Route::OperationResult { .. } => "operationResults".to_owned(),
            Route::ResourceGroup(_) => "resourceGroups".to_owned(),
            Route::Subnet { .. } => "subnets".to_owned(),
            Route::Image { .. } => "images".to_owned(),
            Route::Agreement { .. } => "agreements".to_owned(),
            Route::Skus => "skus".to_owned(),
            Route::Prop => "props".to_owned(),
        };
        format!("{method} {what}")
    }

    /// The API versions that are known here.
    pub(super) fn versions(&self) -> Vec<&'static str> {
        let groups: &[&[&str]] = match (self.namespace, &self.route) {
            (
                COMPUTE,
                Route::One { key: Key { kind: Kind::Disk, .. }, .. } | Route::List { kind: Kind::Disk, .. },
            ) => &[OF_DISKS],
            // An operation is followed in the version of the request that began it.
            (COMPUTE, Route::Operation { .. }) => &[OF_VMS, OF_DISKS],
            (COMPUTE, _) => &[OF_VMS],
            (NETWORK, _) => &[OF_NETWORK],
            (MARKETPLACE, _) => &[&["2015-06-01", "2021-01-01"]],
            _ => &[&["2021-04-01", "2022-09-01", "2024-03-01", "2024-11-01", "2025-04-01"]],
        };
        groups.concat()
    }
}

fn kind(namespace: &str, collection: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| {
        kind.namespace().eq_ignore_ascii_case(namespace) && kind.collection().eq_ignore_ascii_case(collection)
    })
}

fn operations_of(namespace: &str) -> Option<&'static str> {
    [COMPUTE, NETWORK].into_iter().find(|known| known.eq_ignore_ascii_case(namespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_without_regard_to_case() {
        let lower = "/subscriptions/s/resourcegroups/rg/providers/microsoft.compute/virtualmachines/vm";
        let usual = "/subscriptions/s/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/VM";
        let keys = [lower, usual].map(|path| match Place::of(path).unwrap().route {
            Route::One { key, .. } => key,
            other => panic!("{other:?}"),
        });
        assert_eq!(keys[0], keys[1]);
    }

    #[test]
    fn what_is_not_served_leads_nowhere() {
        for path in [
            "/",
            "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/snapshots/x",
            "/subscriptions",
        ] {
            assert_eq!(Place::of(path), None, "{path}");
        }
    }

    #[test]
    fn the_versions_of_an_image_are_listed_and_read() {
        let path = "/subscriptions/s/providers/Microsoft.Compute/locations/l/publishers/p/artifacttypes/vmimage/offers/o/skus/k/versions";
        let version = |path: &str| match Place::of(path).unwrap().route {
            Route::Image { version, .. } => version,
            other => panic!("{other:?}"),
        };
        assert_eq!(version(path), None);
        assert_eq!(version(&format!("{path}/1.0.0")), Some("1.0.0".to_owned()));
    }
}
