//! How this process is called in a lease.

/// The host's name and something random: a restarted container has the same host name, and must not take the lease of
/// the one before for its own.
///
/// # Errors
/// When the system has no random bytes.
pub fn identity() -> Result<String, getrandom::Error> {
    let host = rustix::system::uname();
    let random = getrandom::u32()?;
    Ok(format!("{}_{random:08x}", host.nodename().to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_of_one_host_have_two_identities() {
        assert_ne!(identity().unwrap(), identity().unwrap());
    }
}
