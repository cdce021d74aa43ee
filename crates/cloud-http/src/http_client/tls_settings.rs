//! What one endpoint's TLS needs that is not usual.

use std::fmt;

/// A certificate authority of one's own, a certificate to show, or both. Printing it prints neither.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct TlsSettings {
    pub(super) authorities: Option<String>,
    pub(super) identity: Option<String>,
    pub(super) servers: Servers,
}

/// Whether servers must prove who they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Servers {
    #[default]
    Proven,
    Anybody,
}

impl TlsSettings {
    /// Trusts these authorities, in PEM, and no others.
    #[must_use]
    pub fn trusting_only(mut self, authorities: &str) -> Self {
        self.authorities = Some(authorities.to_owned());
        self
    }

    /// Shows this certificate; both in PEM.
    #[must_use]
    pub fn showing(mut self, certificate: &str, key: &str) -> Self {
        self.identity = Some(format!("{certificate}\n{key}\n"));
        self
    }

    /// Talks to whoever answers. Only because users of other programs have written so into their Secrets.
    #[must_use]
    pub fn trusting_anybody(mut self) -> Self {
        self.servers = Servers::Anybody;
        self
    }
}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSettings")
            .field("authorities", &self.authorities.is_some())
            .field("identity", &self.identity.is_some())
            .field("servers", &self.servers)
            .finish()
    }
}
