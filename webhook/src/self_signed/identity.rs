//! How this replica is called in the lease.

/// The host's name and something random: a restarted container has the same host name, and must not take the lease of the one before for
/// its own.
pub(super) fn identity() -> Result<String, getrandom::Error> {
    let host = rustix::system::uname();
    let random = getrandom::u32()?;
    Ok(format!("{}_{random:08x}", host.nodename().to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_replicas_on_one_host_have_two_identities() {
        assert_ne!(identity().unwrap(), identity().unwrap());
    }
}
