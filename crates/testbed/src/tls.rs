//! The process-wide choice of a crypto provider.

/// Chooses ring, unless the process has chosen already. Tests have no `main` that could do it first.
pub(crate) fn install_provider() {
    // An error only says that a provider is installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
