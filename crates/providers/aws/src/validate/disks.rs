//! Mistakes in disks.

use std::collections::HashSet;

use millwright_provider::FieldErrorKind;
use serde_json::Value;

use super::{Mistakes, text};
use crate::rule_list;

/// The name of the root disk, whatever the image calls it.
pub(crate) const ROOT: &str = "/root";

pub(super) fn validate(spec: &Value, mistakes: &mut Mistakes) {
    let Some(devices) = spec.get("blockDevices").and_then(Value::as_array) else { return };
    if devices.is_empty() {
        mistakes.required(rule_list::ROOT_DISK, "blockDevices", "must have the root disk at least");
    }
    if devices.len() > 1 {
        names(devices, mistakes);
    }
    for (place, device) in devices.iter().enumerate() {
        let path = format!("blockDevices[{place}].ebs");
        if let Some(kind @ ("io1" | "io2")) = text(device, "/ebs/volumeType")
            && device.pointer("/ebs/iops").and_then(Value::as_i64).is_none_or(|iops| iops <= 0)
        {
            mistakes.required(
                rule_list::IOPS,
                &format!("{path}.iops"),
                format!("must be set for volume type {kind}"),
            );
        }
        if text(device, "/ebs/kmsKeyID").is_some()
            && device.pointer("/ebs/encrypted").and_then(Value::as_bool) != Some(true)
        {
            mistakes.invalid(
                rule_list::KMS_KEY,
                &format!("{path}.kmsKeyID"),
                "needs encrypted: true beside it",
            );
        }
    }
}

fn names(devices: &[Value], mistakes: &mut Mistakes) {
    let mut seen = HashSet::new();
    for (place, device) in devices.iter().enumerate() {
        let name = device.get("deviceName").and_then(Value::as_str).unwrap_or_default();
        let path = format!("blockDevices[{place}].deviceName");
        if name != ROOT && !is_device(name) {
            let detail = "must be /root, /dev/sda to /dev/sdz or /dev/xvda to /dev/xvdcz, because there are several disks";
            mistakes.invalid(rule_list::DEVICE_NAME, &path, detail);
        } else if !seen.insert(name) {
            let detail = format!("{name} is there twice");
            mistakes.add(rule_list::DEVICE_NAME, &path, FieldErrorKind::Duplicate, detail);
        }
    }
    if !seen.contains(ROOT) {
        mistakes.required(rule_list::ROOT_DISK, "blockDevices", "must have one disk with deviceName /root");
    }
}

/// `/dev/sd[a-z]`, `/dev/xvd[a-c]` or `/dev/xvd[a-c][a-z]`.
fn is_device(name: &str) -> bool {
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    if let Some(rest) = name.strip_prefix("/dev/sd") {
        return rest.len() == 1 && letters(rest);
    }
    let Some(rest) = name.strip_prefix("/dev/xvd") else { return false };
    matches!(rest.len(), 1 | 2) && letters(rest) && matches!(rest.as_bytes()[0], b'a'..=b'c')
}
