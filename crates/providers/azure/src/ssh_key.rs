//! A public key whose private half nobody has. Azure wants one for every VM of Linux that has no password.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_api::MachineCode;
use millwright_provider::ProviderError;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use crate::errors::CLOUD;

const KIND: &str = "ssh-ed25519";

/// Makes a pair, and keeps its public half only.
pub(crate) fn throw_away() -> Result<String, ProviderError> {
    let failed =
        |_| ProviderError::new(MachineCode::Internal, format!("{CLOUD}: no randomness for an SSH key"));
    let pair = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(failed)?;
    let pair = Ed25519KeyPair::from_pkcs8(pair.as_ref()).map_err(|_| {
        ProviderError::new(
            MachineCode::Internal,
            format!("{CLOUD}: an SSH key that was just made can not be read"),
        )
    })?;
    let mut blob = Vec::new();
    for part in [KIND.as_bytes(), pair.public_key().as_ref()] {
        blob.extend(u32::try_from(part.len()).unwrap_or_default().to_be_bytes());
        blob.extend(part);
    }
    Ok(format!("{KIND} {}", STANDARD.encode(blob)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vm_gets_another_key_in_openssh_form() {
        let (one, other) = (throw_away().unwrap(), throw_away().unwrap());
        assert_ne!(one, other);
        let blob = STANDARD.decode(one.strip_prefix("ssh-ed25519 ").unwrap()).unwrap();
        assert_eq!(blob.len(), 4 + 11 + 4 + 32);
        assert_eq!(&blob[4..15], b"ssh-ed25519");
    }
}
