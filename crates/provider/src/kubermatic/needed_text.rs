//! A text without which nothing of a class's VMs could be found.

use millwright_api::MachineCode;

use super::CLOUD;
use crate::{ClassView, ProviderError};

/// The text in that field of `cloudProviderSpec`, whatever else of the class can be read.
///
/// # Errors
/// `InvalidArgument` when there is none.
pub fn needed_text<'a>(class: &ClassView<'a>, field: &str) -> Result<&'a str, ProviderError> {
    let text = class.spec.get("cloudProviderSpec").and_then(|cloud| cloud.get(field)?.as_str());
    text.filter(|text| !text.is_empty()).ok_or_else(|| {
        let (namespace, name) = (class.namespace, class.name);
        let message = format!("class {namespace}/{name}: {CLOUD}.{field}: must be set to a text");
        ProviderError::new(MachineCode::InvalidArgument, message)
    })
}
