//! A token read back from its Secret, so that a retry gives the VM the same one.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;

use crate::BootstrapToken;
use crate::token_secret::{EXPIRATION, ID, MACHINE_UID_LABEL, SECRET, TOKEN_SECRET_TYPE};

/// A token that is in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token.
    pub token: BootstrapToken,
    /// UID of the machine it was made for; `None` for somebody else's.
    pub machine_uid: Option<String>,
    /// Until when it is good; `None` for ever.
    pub expires_at: Option<Timestamp>,
}

/// A Secret that is no bootstrap token. Never shows a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenSecretError {
    /// It has another type.
    #[error("secret {name}: type must be {TOKEN_SECRET_TYPE}, it is {found:?}")]
    OtherType {
        /// Name of the Secret.
        name: String,
        /// Its type.
        found: String,
    },
    /// Id or secret are missing or malformed.
    #[error(
        "secret {name}: data.token-id must be 6 and data.token-secret 16 characters of [a-z0-9]; delete the secret, and the machine gets a new one"
    )]
    Malformed {
        /// Name of the Secret.
        name: String,
    },
    /// The expiration is no time.
    #[error("secret {name}: data.expiration must be an RFC 3339 time such as 2026-01-02T15:04:05Z")]
    NoTime {
        /// Name of the Secret.
        name: String,
    },
}

impl IssuedToken {
    /// Reads a token's Secret.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_secret(secret: &Secret) -> Result<Self, TokenSecretError> {
        let name = || secret.metadata.name.clone().unwrap_or_default();
        let found = secret.type_.as_deref().unwrap_or_default();
        if found != TOKEN_SECRET_TYPE {
            return Err(TokenSecretError::OtherType { name: name(), found: found.to_owned() });
        }
        let text = |key| {
            let value = secret.data.as_ref()?.get(key)?;
            std::str::from_utf8(&value.0).ok()
        };
        let parts = text(ID).zip(text(SECRET));
        let token = parts.and_then(|(id, secret)| BootstrapToken::from_parts(id, secret));
        let expires_at = text(EXPIRATION).map(str::parse).transpose();
        Ok(Self {
            token: token.ok_or_else(|| TokenSecretError::Malformed { name: name() })?,
            machine_uid: secret.metadata.labels.as_ref().and_then(|l| l.get(MACHINE_UID_LABEL)).cloned(),
            expires_at: expires_at.map_err(|_| TokenSecretError::NoTime { name: name() })?,
        })
    }

    /// Whether less than half of `lifetime` is left, so that a VM created now might come too late.
    #[must_use]
    pub fn needs_renewal(&self, now: Timestamp, lifetime: Duration) -> bool {
        let half = SignedDuration::try_from(lifetime / 2).unwrap_or(SignedDuration::MAX);
        self.expires_at.is_some_and(|expires_at| expires_at.duration_since(now) < half)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;

    use super::*;
    use crate::{TokenOwner, renew_secret, token_secret};

    const NOON: &str = "2026-11-21T12:00:00Z";

    fn secret() -> Secret {
        let token = BootstrapToken::from_parts("abcdef", "0123456789abcdef").unwrap();
        let owner = TokenOwner { name: "worker-1", uid: "uid-1" };
        token_secret(&token, owner, NOON.parse().unwrap(), "system:bootstrappers:worker")
    }

    fn with(key: &str, value: &[u8]) -> Secret {
        let mut secret = secret();
        secret.data.as_mut().unwrap().insert(key.into(), ByteString(value.to_vec()));
        secret
    }

    #[test]
    fn a_token_reads_back_from_its_secret() {
        let read = IssuedToken::from_secret(&secret()).unwrap();
        assert_eq!(read.token.expose(), "abcdef.0123456789abcdef");
        assert_eq!(read.machine_uid.as_deref(), Some("uid-1"));
        assert_eq!(read.expires_at, Some(NOON.parse().unwrap()));
    }

    #[test]
    fn a_token_survives_the_wire() {
        let json = serde_json::to_string(&secret()).unwrap();
        let read: Secret = serde_json::from_str(&json).unwrap();
        assert_eq!(IssuedToken::from_secret(&read), IssuedToken::from_secret(&secret()));
    }

    #[test]
    fn a_token_is_renewed_when_less_than_half_its_life_is_left() {
        let token = IssuedToken::from_secret(&secret()).unwrap();
        let lifetime = Duration::from_secs(20 * 60);
        for (now, renew) in [
            ("2026-11-21T11:40:00Z", false),
            ("2026-11-21T11:50:00Z", false),
            ("2026-11-21T11:50:01Z", true),
            ("2026-11-21T12:00:00Z", true),
            ("2026-11-21T13:00:00Z", true),
        ] {
            assert_eq!(token.needs_renewal(now.parse().unwrap(), lifetime), renew, "{now}");
        }
        let forever = IssuedToken { expires_at: None, ..token };
        assert!(!forever.needs_renewal(NOON.parse().unwrap(), Duration::MAX));
    }

    #[test]
    fn a_renewed_token_is_the_same_token_for_longer() {
        let mut renewed = secret();
        renew_secret(&mut renewed, "2026-11-21T12:20:00Z".parse().unwrap());
        let (before, after) = (IssuedToken::from_secret(&secret()), IssuedToken::from_secret(&renewed));
        let (before, after) = (before.unwrap(), after.unwrap());
        assert_eq!(before.token, after.token);
        assert_eq!(after.expires_at, Some("2026-11-21T12:20:00Z".parse().unwrap()));
        assert_eq!(renewed.metadata, secret().metadata);
    }

    #[test]
    fn a_secret_that_is_no_token_is_refused_by_name_and_shows_no_value() {
        let other = Secret { type_: Some("Opaque".into()), ..secret() };
        let cases = [
            (other, "type must be"),
            (Secret { data: None, ..secret() }, "data.token-id"),
            (with("token-secret", b"0123456789ABCDEF"), "data.token-secret"),
            (with("token-secret", b"\xff\xff"), "data.token-secret"),
            (with("expiration", b"tomorrow"), "data.expiration"),
        ];
        for (secret, names) in cases {
            let error = IssuedToken::from_secret(&secret).unwrap_err().to_string();
            assert!(error.starts_with("secret bootstrap-token-abcdef: ") && error.contains(names), "{error}");
            assert!(!error.to_lowercase().contains("0123456789abcdef"), "{error}");
        }
    }

    #[test]
    fn a_token_of_others_has_no_machine() {
        let mut foreign = secret();
        foreign.metadata.labels = None;
        foreign.data.as_mut().unwrap().remove("expiration");
        let read = IssuedToken::from_secret(&foreign).unwrap();
        assert_eq!((read.machine_uid, read.expires_at), (None, None));
    }
}
