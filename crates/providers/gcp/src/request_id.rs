//! The id of a creation's request: the same for the same attempt of the same machine, so that a repeated request finds its
//! earlier effect.

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

/// Namespace of our ids, made once at random.
const NAMESPACE: [u8; 16] =
    [0x5b, 0x1d, 0x0c, 0x8e, 0x7a, 0x93, 0x4f, 0x1e, 0x9c, 0x57, 0x2b, 0x44, 0xd6, 0x08, 0xe1, 0x73];

/// A UUID of version 5.
pub(crate) fn of(machine_uid: &str, attempt: u32) -> String {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    context.update(&NAMESPACE);
    context.update(machine_uid.as_bytes());
    context.update(&attempt.to_be_bytes());
    let digest = context.finish();
    let mut id = [0; 16];
    id.copy_from_slice(&digest.as_ref()[..16]);
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_has_one_id_and_another_attempt_or_machine_another() {
        let one = of("uid-1", 1);
        assert_eq!(one, of("uid-1", 1));
        assert_ne!(one, of("uid-1", 2));
        assert_ne!(one, of("uid-2", 1));
        assert_eq!((one.len(), one.as_bytes()[14]), (36, b'5'));
        assert!(b"89ab".contains(&one.as_bytes()[19]), "{one}");
    }
}
