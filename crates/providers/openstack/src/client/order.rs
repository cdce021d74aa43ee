//! The request for a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::spec::{RootDisk, Spec, UID_TAG};

/// What the names of a spec mean.
pub(crate) struct Parts {
    pub(crate) flavor: String,
    pub(crate) image: String,
    pub(crate) networks: Attachments,
    /// A volume of our own.
    pub(crate) volume: Option<String>,
}

/// With what a server is on its networks.
pub(crate) enum Attachments {
    /// Nova makes the ports, with the security groups of the request.
    Networks(Vec<String>),
    /// It has its security groups: Nova ignores those of the request.
    Port(String),
}

/// The body of `POST /servers`.
pub(crate) fn body(spec: &Spec, name: &str, uid: &str, user_data: &str, parts: &Parts) -> Value {
    let mut metadata: Map<String, Value> =
        spec.tags.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    metadata.insert(UID_TAG.to_owned(), json!(uid));
    let mut server = Map::new();
    let mut set = |key: &str, value: Value| {
        if !value.is_null() {
            server.insert(key.to_owned(), value);
        }
    };
    set("name", json!(name));
    set("flavorRef", json!(parts.flavor));
    set("key_name", json!(spec.key_name));
    set("availability_zone", json!(spec.availability_zone));
    set("config_drive", json!(spec.config_drive));
    set("metadata", Value::Object(metadata));
    set("user_data", json!(STANDARD.encode(user_data)));
    match &parts.networks {
        Attachments::Networks(ids) => {
            set("networks", ids.iter().map(|id| json!({ "uuid": id })).collect());
            let groups: Vec<Value> =
                spec.security_groups.iter().map(|name| json!({ "name": name })).collect();
            set("security_groups", if groups.is_empty() { Value::Null } else { Value::Array(groups) });
        }
        Attachments::Port(id) => set("networks", json!([{ "port": id }])),
    }
    let disk = |source: &str, id: &str| {
        json!({
            "boot_index": 0, "uuid": id, "source_type": source, "destination_type": "volume",
            // It belongs to this server alone, and goes with it.
            "delete_on_termination": true,
        })
    };
    match (&parts.volume, &spec.root_disk) {
        (Some(volume), _) => set("block_device_mapping_v2", json!([disk("volume", volume)])),
        (None, RootDisk::OfSize { gib }) => {
            let mut disk = disk("image", &parts.image);
            disk["volume_size"] = json!(gib);
            set("block_device_mapping_v2", json!([disk]));
        }
        (None, RootDisk::OfFlavor | RootDisk::Volume { .. }) => set("imageRef", json!(parts.image)),
    }
    let mut body = json!({ "server": server });
    if let Some(group) = &spec.server_group {
        body["os:scheduler_hints"] = json!({ "group": group });
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gardener;
    use crate::schema;

    fn spec(change: Value) -> Spec {
        let mut spec = json!({
            "imageName": "img", "region": "R1", "availabilityZone": "nova", "flavorName": "m1", "keyName": "k",
            "networkID": "n", "podNetworkCIDRs": ["100.96.0.0/11"], "securityGroups": ["sg"],
            "tags": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1" },
        });
        for (key, value) in change.as_object().unwrap() {
            spec[key] = value.clone();
        }
        gardener::decode(&json!({ "apiVersion": schema::API_VERSION, "kind": schema::KIND, "spec": spec }))
            .unwrap()
    }

    fn parts(networks: Attachments, volume: Option<&str>) -> Parts {
        Parts { flavor: "f".into(), image: "i".into(), networks, volume: volume.map(str::to_owned) }
    }

    #[test]
    fn tags_and_uid_are_in_the_creating_call() {
        let networks = Attachments::Networks(vec!["n".into()]);
        let body = body(&spec(json!({ "serverGroupID": "g" })), "m", "u", "text", &parts(networks, None));
        assert_eq!(
            body,
            json!({
                "server": {
                    "name": "m", "flavorRef": "f", "key_name": "k", "availability_zone": "nova",
                    "metadata": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1", "machine-uid": "u" },
                    "user_data": "dGV4dA==", "networks": [{ "uuid": "n" }], "security_groups": [{ "name": "sg" }],
                    "imageRef": "i",
                },
                "os:scheduler_hints": { "group": "g" },
            })
        );
    }

    #[test]
    fn security_groups_stand_at_the_port_when_there_is_one() {
        let body = body(
            &spec(json!({ "useConfigDrive": true })),
            "m",
            "u",
            "",
            &parts(Attachments::Port("p".into()), None),
        );
        assert_eq!(body["server"]["networks"], json!([{ "port": "p" }]));
        assert_eq!(
            (body["server"].get("security_groups"), &body["server"]["config_drive"]),
            (None, &json!(true))
        );
    }

    #[test]
    fn a_root_disk_goes_with_its_server_and_replaces_the_image() {
        let networks = || Attachments::Networks(vec!["n".into()]);
        let sized = body(&spec(json!({ "rootDiskSize": 9 })), "m", "u", "", &parts(networks(), None));
        let disk = &sized["server"]["block_device_mapping_v2"][0];
        assert_eq!(
            (&disk["uuid"], &disk["source_type"], &disk["volume_size"]),
            (&json!("i"), &json!("image"), &json!(9))
        );
        assert_eq!((&disk["delete_on_termination"], sized["server"].get("imageRef")), (&json!(true), None));
        let own = spec(json!({ "rootDiskSize": 9, "rootDiskType": "ssd" }));
        let own = body(&own, "m", "u", "", &parts(networks(), Some("v")));
        let disk = &own["server"]["block_device_mapping_v2"][0];
        assert_eq!(
            (&disk["uuid"], &disk["source_type"], disk.get("volume_size")),
            (&json!("v"), &json!("volume"), None)
        );
    }
}
