//! Free ports on the loopback address. Between here and the program's own bind somebody else may take one; `launch` starts again then.

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
};

/// `N` different ports that nobody listens on.
pub(crate) fn free_ports<const N: usize>() -> io::Result<[u16; N]> {
    // All are held until all are known, else the same one may come twice.
    let mut held = Vec::with_capacity(N);
    let mut ports = [0; N];
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        *port = listener.local_addr()?.port();
        held.push(listener);
    }
    Ok(ports)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn free_ports_differ() {
        let ports = free_ports::<8>().unwrap();
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), ports.len());
        for port in ports {
            assert_ne!(port, 0);
        }
    }
}
