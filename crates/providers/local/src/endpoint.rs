//! Where a class's cloud is: all that finding, listing and ending VMs need of it beside its scope.
//!
//! It is read by itself, so that a class with mistakes elsewhere is still looked after.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, ProviderError};
use serde_json::Value;

use crate::schema;

/// The URL in a class, whatever else of it can be read.
pub(crate) fn of(class: &ClassView<'_>) -> Result<String, ProviderError> {
    let spec = schema::canonical(class.spec);
    let url = spec.get("endpoint").and_then(Value::as_str).filter(|url| !url.is_empty());
    url.map(str::to_owned).ok_or_else(|| {
        let (namespace, name) = (class.namespace, class.name);
        let message = format!(
            "class {namespace}/{name}: providerSpec.endpoint: must be the URL of the simulated cloud"
        );
        ProviderError::new(MachineCode::InvalidArgument, message)
    })
}
