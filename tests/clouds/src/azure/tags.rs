//! What tags may be.

use serde_json::Value;

use super::ArmError;

const MOST: usize = 50;
const LONGEST_KEY: usize = 512;
const LONGEST_VALUE: usize = 256;

pub(super) fn check(body: &Value) -> Result<(), ArmError> {
    let Some(tags) = body.get("tags").filter(|tags| !tags.is_null()) else { return Ok(()) };
    let Some(tags) = tags.as_object() else {
        return Err(ArmError::bad("InvalidRequestContent", "tags must be an object"));
    };
    if tags.len() > MOST {
        let message =
            format!("The number of tags on a resource can be at most {MOST}; there are {}.", tags.len());
        return Err(ArmError::bad("InvalidTags", message));
    }
    for (key, value) in tags {
        if key.is_empty()
            || key.chars().count() > LONGEST_KEY
            || key.contains(['<', '>', '%', '&', '\\', '?', '/'])
        {
            let message =
                format!("The tag name '{key}' is empty, too long or has one of the characters <>%&\\?/.");
            return Err(ArmError::bad("InvalidTagNameCharacters", message));
        }
        let Some(value) = value.as_str() else {
            return Err(ArmError::bad(
                "InvalidRequestContent",
                format!("The value of tag '{key}' must be a text."),
            ));
        };
        if value.chars().count() > LONGEST_VALUE {
            return Err(ArmError::bad(
                "InvalidTagValueLength",
                format!("The value of tag '{key}' is too long."),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slash_is_no_part_of_a_tags_name() {
        assert!(check(&json!({ "tags": { "kubernetes.io-cluster-one": "1" } })).is_ok());
        let error = check(&json!({ "tags": { "kubernetes.io/cluster/one": "1" } })).unwrap_err();
        assert_eq!(error.code, "InvalidTagNameCharacters");
        assert!(check(&json!({})).is_ok());
        assert!(check(&json!({ "tags": { "a": 1 } })).is_err());
    }
}
