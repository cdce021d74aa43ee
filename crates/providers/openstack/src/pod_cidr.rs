//! Address ranges of pods: an address and a prefix length.

use std::net::IpAddr;

/// Whether it is a range such as `100.96.0.0/11`.
pub(crate) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    match (address.parse(), length.parse::<u8>()) {
        (Ok(IpAddr::V4(_)), Ok(length)) => is_number && length <= 32,
        (Ok(IpAddr::V6(_)), Ok(length)) => is_number && length <= 128,
        _ => false,
    }
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
