//! Random ids from the system's generator.

use std::fmt::Write as _;

/// `prefix` followed by 17 hexadecimal digits.
pub(crate) fn id(prefix: &str) -> String {
    let mut bytes = [0_u8; 9];
    getrandom::fill(&mut bytes).expect("the system's random source is always open on the systems we run on");
    let mut id = String::with_capacity(prefix.len() + 18);
    id.push_str(prefix);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id.pop();
    id
}
