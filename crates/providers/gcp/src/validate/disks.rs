//! Mistakes in the disks.

use millwright_provider::FieldError;
use serde_json::Value;

use super::{entries, invalid, is_true, labels, required, text};
use crate::rule_list;

/// The type that means a local SSD.
const SCRATCH: &str = "SCRATCH";

pub(super) fn validate(spec: &Value, mistakes: &mut Vec<FieldError>) {
    if spec.get("disks").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return;
    }
    let boot: Vec<usize> =
        entries(spec, "disks").filter(|(_, disk)| is_true(disk, "boot")).map(|(index, _)| index).collect();
    match boot.as_slice() {
        [] => mistakes.push(required(
            rule_list::BOOT_DISK,
            "providerSpec.disks",
            "must have one disk with boot: true",
        )),
        [_] => {}
        [first, rest @ ..] => mistakes.extend(rest.iter().map(|index| {
            let detail = format!("must be false: the VM boots from disks[{first}]");
            invalid(rule_list::BOOT_DISK, format!("providerSpec.disks[{index}].boot"), detail)
        })),
    }
    for (index, disk) in entries(spec, "disks") {
        let at = format!("providerSpec.disks[{index}]");
        if text(disk, "type") == SCRATCH {
            scratch(&at, disk, mistakes);
        } else if is_true(disk, "boot") && text(disk, "image").is_empty() {
            let detail =
                "must name an image, such as projects/P/global/images/I: the VM boots from this disk";
            mistakes.push(required(rule_list::BOOT_DISK, format!("{at}.image"), detail));
        }
        encryption(&at, disk, mistakes);
        labels::validate(&format!("{at}.labels"), disk.get("labels"), mistakes);
    }
}

fn scratch(at: &str, disk: &Value, mistakes: &mut Vec<FieldError>) {
    match text(disk, "interface") {
        "NVME" | "SCSI" => {}
        "" => mistakes.push(required(
            rule_list::SCRATCH_DISK,
            format!("{at}.interface"),
            "must be NVME or SCSI for a disk of type SCRATCH",
        )),
        other => mistakes.push(invalid(
            rule_list::SCRATCH_DISK,
            format!("{at}.interface"),
            format!("{other:?} must be NVME or SCSI for a disk of type SCRATCH"),
        )),
    }
    if is_true(disk, "boot") {
        let detail = "must be false for a disk of type SCRATCH, which begins empty";
        mistakes.push(invalid(rule_list::SCRATCH_DISK, format!("{at}.boot"), detail));
    }
}

fn encryption(at: &str, disk: &Value, mistakes: &mut Vec<FieldError>) {
    let Some(encryption) = disk.get("encryption").filter(|encryption| encryption.is_object()) else { return };
    if text(encryption, "kmsKeyName").trim().is_empty() {
        let detail = "must name a key; leave encryption out for one of Google's";
        mistakes.push(required(rule_list::DISK_ENCRYPTION, format!("{at}.encryption.kmsKeyName"), detail));
    }
    let account = text(encryption, "kmsKeyServiceAccount");
    if !account.is_empty() && account.trim().is_empty() {
        let detail = "must be a service account, or left out for Compute Engine's own";
        mistakes.push(invalid(
            rule_list::DISK_ENCRYPTION,
            format!("{at}.encryption.kmsKeyServiceAccount"),
            detail,
        ));
    }
}
