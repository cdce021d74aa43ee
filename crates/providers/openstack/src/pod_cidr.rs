//! Address ranges of pods: an address and a prefix length.

use std::net::IpAddr;

/// Whether it is a range such as `100.96.0.0/11`.
pub(crate) fn is_cidr(text: &str) -> bool {
    read(text).is_some()
}

/// Whether both mean the same range, however they spell it: Neutron writes addresses in its own way.
#[cfg(feature = "client")]
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other || read(one).is_some_and(|range| read(other) == Some(range))
}

fn read(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let longest = if address.is_ipv4() { 32 } else { 128 };
    let length = Some(length).filter(|length| length.bytes().all(|byte| byte.is_ascii_digit()))?;
    let length: u8 = length.parse().ok()?;
    (length <= longest).then_some((address, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_with_a_length_is_a_range() {
        for (text, expected) in [
            ("100.96.0.0/11", true),
            ("2001:db8::/64", true),
            ("0.0.0.0/0", true),
            ("100.96.0.0", false),
            ("100.96.0.0/33", false),
            ("100.96.0.0/+8", false),
            ("pods/11", false),
            ("", false),
        ] {
            assert_eq!(is_cidr(text), expected, "{text}");
        }
    }
}
