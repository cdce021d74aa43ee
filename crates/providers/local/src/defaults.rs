//! Defaults of the provider spec, in JSON and in numbers.

use std::time::Duration;

use millwright_api::GoDuration;
use serde_json::{Map, Value, json};

pub(crate) const BOOT_DELAY: Duration = Duration::from_secs(1);

pub(crate) fn disk_gib() -> u32 {
    20
}

pub(crate) fn network() -> String {
    "default".to_owned()
}

/// Fills what was left out; what was written stays, also when it is wrong.
pub(crate) fn add(spec: &mut Value) {
    let Some(spec) = spec.as_object_mut() else { return };
    fill(spec, "diskGiB", json!(disk_gib()));
    fill(spec, "network", json!(network()));
    if let Some(boot) = spec.entry("boot").or_insert_with(|| json!({})).as_object_mut() {
        fill(boot, "mode", json!("kubelet"));
        fill(boot, "delay", json!(GoDuration::from(BOOT_DELAY).0));
    }
}

fn fill(object: &mut Map<String, Value>, key: &str, default: Value) {
    object.entry(key).or_insert(default);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_filled() {
        let cases = [
            (
                json!({}),
                json!({ "diskGiB": 20, "network": "default", "boot": { "mode": "kubelet", "delay": "1s" } }),
            ),
            (
                json!({ "diskGiB": 0, "boot": { "mode": "never" } }),
                json!({ "diskGiB": 0, "boot": { "mode": "never", "delay": "1s" }, "network": "default" }),
            ),
            (json!({ "boot": 3 }), json!({ "boot": 3, "diskGiB": 20, "network": "default" })),
            (
                json!({ "network": null, "boot": null }),
                json!({ "network": null, "boot": null, "diskGiB": 20 }),
            ),
            (json!([1]), json!([1])),
        ];
        for (mut written, expected) in cases {
            add(&mut written);
            assert_eq!(written, expected);
        }
    }
}
