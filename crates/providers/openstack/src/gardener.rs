//! Reads the spec in Gardener's words.

use std::collections::BTreeMap;

use millwright_provider::canonical_keys;
use serde::Deserialize;
use serde_json::Value;

use crate::home::Home;
use crate::schema;
use crate::spec::{AttachedNetwork, Named, Networks, RootDisk, Spec, Traffic};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    api_version: String,
    kind: String,
    spec: Written,
}

/// Each field may be left out or `null`, which is the same.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Written {
    #[serde(rename = "imageID")]
    image_id: Option<String>,
    image_name: Option<String>,
    availability_zone: Option<String>,
    flavor_name: Option<String>,
    key_name: Option<String>,
    security_groups: Option<Vec<String>>,
    tags: Option<BTreeMap<String, String>>,
    #[serde(rename = "networkID")]
    network_id: Option<String>,
    networks: Option<Vec<WrittenNetwork>>,
    #[serde(rename = "subnetID")]
    subnet_id: Option<String>,
    #[serde(rename = "subnetIDs")]
    subnet_ids: Option<Vec<String>>,
    pod_network_cidr: Option<String>,
    #[serde(rename = "podNetworkCIDRs")]
    pod_network_cidrs: Option<Vec<String>>,
    root_disk_size: Option<u32>,
    root_disk_type: Option<String>,
    use_config_drive: Option<bool>,
    #[serde(rename = "serverGroupID")]
    server_group_id: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WrittenNetwork {
    id: Option<String>,
    name: Option<String>,
    pod_network: Option<bool>,
}

/// The spec, or what stops it from being read.
pub(crate) fn decode(spec: &Value) -> Result<Spec, String> {
    let written = canonical_keys(spec, schema::schema());
    let Document { api_version, kind, spec } =
        Document::deserialize(&*written).map_err(|error| error.to_string())?;
    if (api_version.as_str(), kind.as_str()) != (schema::API_VERSION, schema::KIND) {
        return Err(format!(
            "is {kind:?} of {api_version:?}; only {:?} of {:?} is known",
            schema::KIND,
            schema::API_VERSION
        ));
    }
    let home = Home::in_gardeners_words(&written)?;
    let networks = networks(&spec)?;
    let root_disk = root_disk(&spec);
    let image = match (filled(spec.image_id), filled(spec.image_name)) {
        (Some(id), _) => Named::Id(id),
        (None, Some(name)) => Named::Name(name),
        (None, None) => return Err("spec.imageID or spec.imageName must be set".to_owned()),
    };
    Ok(Spec {
        home,
        availability_zone: filled(spec.availability_zone),
        flavor: required("flavorName", spec.flavor_name)?,
        image,
        key_name: filled(spec.key_name),
        networks,
        security_groups: spec.security_groups.unwrap_or_default(),
        pod_cidrs: merged(spec.pod_network_cidr, spec.pod_network_cidrs),
        root_disk,
        config_drive: spec.use_config_drive,
        server_group: filled(spec.server_group_id),
        tags: spec.tags.unwrap_or_default(),
    })
}

fn networks(spec: &Written) -> Result<Networks, String> {
    let subnets = merged(spec.subnet_id.clone(), spec.subnet_ids.clone());
    let listed = spec.networks.as_deref().unwrap_or_default();
    match (filled(spec.network_id.clone()), listed) {
        (Some(_), [_, ..]) | (None, []) => {
            Err("exactly one of spec.networkID and spec.networks must be set".to_owned())
        }
        (Some(id), []) if subnets.is_empty() => Ok(Networks::Attached(vec![AttachedNetwork {
            network: Named::Id(id),
            traffic: Traffic::NodesAndPods,
        }])),
        (Some(id), []) => Ok(Networks::OwnPort {
            network: Named::Id(id),
            subnets: subnets.into_iter().map(Named::Id).collect(),
        }),
        (None, listed) => {
            listed.iter().enumerate().map(attached).collect::<Result<_, _>>().map(Networks::Attached)
        }
    }
}

fn attached((index, written): (usize, &WrittenNetwork)) -> Result<AttachedNetwork, String> {
    let network = match (filled(written.id.clone()), filled(written.name.clone())) {
        (Some(id), None) => Named::Id(id),
        (None, Some(name)) => Named::Name(name),
        (Some(_), Some(_)) | (None, None) => {
            return Err(format!("spec.networks[{index}] must have either id or name"));
        }
    };
    let traffic = if written.pod_network == Some(true) { Traffic::NodesAndPods } else { Traffic::Nodes };
    Ok(AttachedNetwork { network, traffic })
}

/// A type without a size counts for nothing, as with machine-controller-manager: servers of such classes are looked after.
fn root_disk(spec: &Written) -> RootDisk {
    match (spec.root_disk_size.unwrap_or_default(), filled(spec.root_disk_type.clone())) {
        (0, _) => RootDisk::OfFlavor,
        (gib, None) => RootDisk::OfSize { gib },
        (gib, Some(volume_type)) => RootDisk::Volume { gib, volume_type },
    }
}

/// The list with the deprecated single field, each once, in order.
fn merged(one: Option<String>, list: Option<Vec<String>>) -> Vec<String> {
    let mut all: Vec<String> = list.unwrap_or_default();
    all.extend(one);
    all.retain(|text| !text.is_empty());
    all.sort();
    all.dedup();
    all
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn required(field: &str, text: Option<String>) -> Result<String, String> {
    filled(text).ok_or_else(|| format!("spec.{field} must be set"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(change: Value) -> Value {
        let mut spec = json!({
            "imageName": "img", "region": "R1", "availabilityZone": "nova", "flavorName": "m1", "keyName": "k",
            "networkID": "n", "podNetworkCIDRs": ["100.96.0.0/11"], "securityGroups": ["sg"],
            "tags": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1" },
        });
        for (key, value) in change.as_object().unwrap() {
            spec[key] = value.clone();
        }
        json!({ "apiVersion": schema::API_VERSION, "kind": schema::KIND, "spec": spec })
    }

    fn read(change: Value) -> Spec {
        decode(&written(change)).unwrap()
    }

    #[test]
    fn the_smallest_spec_attaches_one_network_and_takes_the_flavors_disk() {
        let spec = read(json!({}));
        let network = AttachedNetwork { network: Named::Id("n".into()), traffic: Traffic::NodesAndPods };
        assert_eq!(spec.networks, Networks::Attached(vec![network]));
        assert_eq!((spec.root_disk, spec.image), (RootDisk::OfFlavor, Named::Name("img".into())));
        assert_eq!((spec.config_drive, spec.server_group), (None, None));
    }

    #[test]
    fn subnets_of_both_fields_make_one_own_port() {
        let spec = read(json!({ "subnetID": "b", "subnetIDs": ["c", "b", "a"] }));
        let subnets = ["a", "b", "c"].map(|id| Named::Id(id.into())).into();
        assert_eq!(spec.networks, Networks::OwnPort { network: Named::Id("n".into()), subnets });
    }

    #[test]
    fn only_networks_of_pods_carry_pods() {
        let spec = read(
            json!({ "networkID": null, "networks": [{ "id": "a", "podNetwork": true }, { "name": "b" }] }),
        );
        let Networks::Attached(networks) = spec.networks else { panic!("no own port") };
        assert_eq!(networks[0].traffic, Traffic::NodesAndPods);
        assert_eq!(
            (networks[1].network.clone(), networks[1].traffic),
            (Named::Name("b".into()), Traffic::Nodes)
        );
    }

    #[test]
    fn a_size_alone_and_a_type_with_it_are_different_disks() {
        assert_eq!(read(json!({ "rootDiskSize": 20 })).root_disk, RootDisk::OfSize { gib: 20 });
        let disk = read(json!({ "rootDiskSize": 20, "rootDiskType": "ssd" })).root_disk;
        assert_eq!(disk, RootDisk::Volume { gib: 20, volume_type: "ssd".into() });
    }

    #[test]
    fn what_machine_controller_manager_reads_is_not_refused_where_it_counts_for_nothing() {
        assert_eq!(read(json!({ "rootDiskType": "ssd" })).root_disk, RootDisk::OfFlavor);
        let spec = read(json!({ "networkID": null, "networks": [{ "id": "a", "podNetwork": null }] }));
        let network = AttachedNetwork { network: Named::Id("a".into()), traffic: Traffic::Nodes };
        assert_eq!(spec.networks, Networks::Attached(vec![network]));
    }

    #[test]
    fn keys_match_without_case() {
        let spec = read(json!({ "imageid": "i", "PODNETWORKCIDR": "10.0.0.0/8" }));
        assert_eq!(spec.image, Named::Id("i".into()));
        assert_eq!(spec.pod_cidrs, ["10.0.0.0/8", "100.96.0.0/11"]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (change, expected) in [
            (json!({ "imageName": "" }), "imageName"),
            (json!({ "region": null }), "spec.region"),
            (json!({ "networks": [{ "id": "x" }] }), "exactly one"),
            (json!({ "networkID": "", "networks": [{ "id": "x", "name": "y" }] }), "spec.networks[0]"),
            (json!({ "rootDiskSize": -1 }), "-1"),
        ] {
            let error = decode(&written(change)).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let mut other = written(json!({}));
        other["kind"] = json!("Machine");
        assert!(decode(&other).unwrap_err().contains("MachineProviderConfig"));
    }
}
