//! A service account's key as Google gives it out.

use std::fmt;

use serde_json::Value;

use super::{member, only_public_universe};

/// Where assertions are exchanged for tokens; Google has used all of these in keys.
pub(crate) const TOKEN_URIS: [&str; 3] = [
    "https://oauth2.googleapis.com/token",
    "https://accounts.google.com/o/oauth2/token",
    "https://www.googleapis.com/oauth2/v4/token",
];

/// What is used of it.
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read it"))]
pub(crate) struct ServiceAccount {
    pub(crate) email: String,
    pub(crate) key_id: Option<String>,
    /// PEM.
    pub(crate) private_key: String,
    pub(crate) token_uri: &'static str,
}

impl ServiceAccount {
    pub(super) fn read(json: &Value) -> Result<Self, String> {
        only_public_universe(json)?;
        let private_key = member(json, "private_key")?;
        if !(private_key.contains("-----BEGIN ") && private_key.contains("PRIVATE KEY-----")) {
            return Err("member private_key must be a private key in PEM".to_owned());
        }
        let token_uri = json.get("token_uri").and_then(Value::as_str).unwrap_or(TOKEN_URIS[0]).trim();
        let token_uri = TOKEN_URIS.iter().copied().find(|known| *known == token_uri);
        Ok(Self {
            email: member(json, "client_email")?.to_owned(),
            key_id: member(json, "private_key_id").ok().map(str::to_owned),
            private_key: private_key.to_owned(),
            token_uri: token_uri
                .ok_or_else(|| format!("member token_uri must be one of {}", TOKEN_URIS.join(", ")))?,
        })
    }
}

impl fmt::Debug for ServiceAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceAccount").field("email", &self.email).finish_non_exhaustive()
    }
}
