//! A resolved value, read for a cloud.

use millwright_api::MachineCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{CLOUD, ClusterRole, IpFamily, OperatingSystem, ROOT};
use crate::{ClassView, FieldError, ProviderError};

/// What is the same for every cloud, and the cloud's own part.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineConfig<T> {
    /// The cloud's own part.
    pub cloud: T,
    /// The operating system.
    pub operating_system: OperatingSystem,
    /// The address families.
    pub ip_family: IpFamily,
    /// To whom the machine belongs.
    pub owner: ClusterRole,
}

impl<T: DeserializeOwned> MachineConfig<T> {
    /// Reads the spec of a class in Kubermatic's dialect, unless [`check`](super::check) or the cloud found mistakes in it.
    ///
    /// # Errors
    /// `InvalidArgument` with those mistakes, or when nobody said to whom the machine belongs.
    pub fn read(class: &ClassView<'_>, mistakes: &[FieldError]) -> Result<Self, ProviderError> {
        let refused = |message: String| {
            let message = format!("class {}/{}: {message}", class.namespace, class.name);
            ProviderError::new(MachineCode::InvalidArgument, message)
        };
        if !mistakes.is_empty() {
            let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            return Err(refused(lines.join("; ")));
        }
        let owner = ClusterRole::of(class)?;
        let cloud = class.spec.get("cloudProviderSpec").cloned().unwrap_or_default();
        let cloud = serde_json::from_value(cloud).map_err(|error| refused(format!("{CLOUD}: {error}")))?;
        let text = |pointer: &str| class.spec.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let unknown = |field: &str| refused(format!("{ROOT}.{field}: is not known"));
        Ok(Self {
            cloud,
            operating_system: OperatingSystem::named(text("/operatingSystem"))
                .ok_or_else(|| unknown("operatingSystem"))?,
            ip_family: IpFamily::named(text("/network/ipFamily"))
                .ok_or_else(|| unknown("network.ipFamily"))?,
            owner,
        })
    }
}
