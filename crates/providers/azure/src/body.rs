//! What is sent, in the types that were made from Azure's own description of its API.

mod disk;
mod nic;
mod vm;

pub(crate) use disk::disk;
pub(crate) use nic::nic;
pub(crate) use vm::{Wanted, vm};

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::ProviderError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::errors::CLOUD;
use crate::scope::UID_TAG;
use crate::spec::Spec;

/// The class's tags with the machine's UID.
pub(crate) fn tags(spec: &Spec, uid: &str) -> Value {
    let mut tags: BTreeMap<&str, &str> =
        spec.tags.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    tags.insert(UID_TAG, uid);
    serde_json::json!(tags)
}

/// As JSON, without the nulls that some fields are written as when they are not set.
fn body(model: &impl Serialize) -> Result<Value, ProviderError> {
    let mut body = serde_json::to_value(model).map_err(|error| unwritable(&error))?;
    drop_nulls(&mut body);
    Ok(body)
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A word as Azure's types have it; those they do not know yet are sent as they are.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, ProviderError> {
    serde_json::from_value(Value::from(text)).map_err(|error| unwritable(&error))
}

fn unwritable(error: &serde_json::Error) -> ProviderError {
    ProviderError::new(
        MachineCode::InvalidArgument,
        format!("{CLOUD}: the request can not be written: {error}"),
    )
}
