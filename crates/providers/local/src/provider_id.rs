//! Provider ids: `local:///<zone>/<id>`, the same bytes as the node's `spec.providerID`.

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

pub(crate) const SCHEME: &str = "local:///";

/// The cloud's own id inside a provider id.
pub(crate) fn vm_id(provider_id: &str) -> Result<&str, ProviderError> {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let parts = provider_id.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
    match parts {
        Some((zone, id)) if is_name(zone) && is_name(id) => Ok(id),
        _ => Err(ProviderError::new(
            MachineCode::InvalidArgument,
            format!(
                "provider id {provider_id:?} is not of the simulated cloud; its ids are {SCHEME}<zone>/<vm>"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_from_its_provider_id() {
        assert_eq!(vm_id("local:///local-a/i-0123").unwrap(), "i-0123");
    }

    #[test]
    fn ids_of_others_are_refused() {
        for id in [
            "",
            "local:///",
            "local:///local-a",
            "local:///local-a/",
            "local:////i-1",
            "local:///a/b/c",
            "local://local-a/i-1",
            "aws:///eu-west-1/i-1",
            "local:///a/..%2f",
            "local:///a/i-1?x=y",
        ] {
            assert_eq!(vm_id(id).unwrap_err().code, MachineCode::InvalidArgument, "{id}");
        }
    }
}
