//! Decoding and encoding by kind.

use millwright_api::{Machine, MachineClass, MachineDeployment, MachineSet};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The object as the Rust type of its kind writes it again.
pub(crate) fn recode(kind: &str, object: &Value) -> Result<Value, String> {
    match kind {
        "MachineClass" => through::<MachineClass>(object),
        "Machine" => through::<Machine>(object),
        "MachineSet" => through::<MachineSet>(object),
        "MachineDeployment" => through::<MachineDeployment>(object),
        other => Err(format!("{other} is none of our kinds")),
    }
}

fn through<T: DeserializeOwned + Serialize>(object: &Value) -> Result<Value, String> {
    // As text: that is how objects come, and some decoders treat a Value more kindly.
    let text = object.to_string();
    let decoded: T = serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
    serde_json::to_value(decoded).map_err(|error| error.to_string())
}
