//! Images and disks.

use millwright_provider::{FieldError, FieldErrorKind};
use serde_json::Value;

use super::{invalid, refused};
use crate::rule_list;
use crate::urn::Urn;

const STORAGE: &str = "providerSpec.properties.storageProfile";
const SOURCES: [&str; 4] = ["id", "urn", "communityGalleryImageID", "sharedGalleryImageID"];

pub(super) fn judge(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let Some(storage) = spec.pointer("/properties/storageProfile") else { return };
    if let Some(reference) = storage.get("imageReference").filter(|reference| reference.is_object()) {
        image(reference, &format!("{STORAGE}.imageReference"), mistakes);
    }
    let disks = storage.get("dataDisks").and_then(Value::as_array);
    let mut luns: Vec<i64> = Vec::new();
    for (number, disk) in disks.into_iter().flatten().enumerate() {
        let field = format!("{STORAGE}.dataDisks[{number}]");
        if let Some(lun) =
            disk.as_object().map(|disk| disk.get("lun").map_or(Some(0), Value::as_i64)).unwrap_or_default()
        {
            if luns.contains(&lun) {
                let detail = format!("{lun} is the number of another disk too; give each its own");
                mistakes.push(refused(
                    rule_list::LUNS,
                    format!("{field}.lun"),
                    FieldErrorKind::Duplicate,
                    detail,
                ));
            }
            luns.push(lun);
        }
        if let Some(reference) = disk.get("imageRef").filter(|reference| reference.is_object()) {
            let field = format!("{field}.imageRef");
            image(reference, &field, mistakes);
            let urn = reference.get("urn").and_then(Value::as_str).and_then(Urn::read);
            if urn.is_some_and(|urn| urn.version.eq_ignore_ascii_case("latest")) {
                let detail = "a disk is made from one certain version of an image; name it instead of latest";
                mistakes.push(invalid(rule_list::DATA_DISK_IMAGE, format!("{field}.urn"), detail));
            }
        }
    }
}

fn image(reference: &Value, field: &str, mistakes: &mut Vec<FieldError>) {
    let text = |key: &str| reference.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let named: Vec<&str> = SOURCES.into_iter().filter(|key| text(key).is_some()).collect();
    match named.as_slice() {
        [_] => {}
        [] => {
            let detail = format!("must name an image by one of {}", SOURCES.join(", "));
            mistakes.push(refused(rule_list::ONE_IMAGE, field, FieldErrorKind::Required, detail));
        }
        several => {
            let detail = format!("must name one image; it names several by {}", several.join(", "));
            mistakes.push(refused(rule_list::ONE_IMAGE, field, FieldErrorKind::Forbidden, detail));
        }
    }
    if let Some(urn) = text("urn")
        && Urn::read(urn).is_none()
    {
        let detail = format!("{urn:?} must be publisher:offer:sku:version");
        mistakes.push(invalid(rule_list::URN, format!("{field}.urn"), detail));
    }
}
