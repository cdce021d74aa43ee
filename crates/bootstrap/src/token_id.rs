//! The public half of a bootstrap token, which names its Secret.

/// Six characters, the same for a machine each time, so that a restarted process finds its token by name
/// and needs no right to list Secrets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenId(pub(crate) String);

pub(crate) const LENGTH: usize = 6;
/// Characters that the API server allows in both halves of a token.
pub(crate) const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl TokenId {
    /// The id of a machine. When the Secret of that name is another machine's (one in two billion), the
    /// next attempt gives another id.
    #[must_use]
    pub fn for_machine(machine_uid: &str, attempt: u32) -> Self {
        // FNV-1a with a final mix: stable across releases, and spread over all ids.
        let hash =
            machine_uid.bytes().chain(attempt.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        let mut rest = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        rest ^= rest >> 32;
        let size = ALPHABET.len() as u64;
        let text = (0..LENGTH)
            .map(|_| {
                let digit = usize::try_from(rest % size).unwrap_or(0);
                rest /= size;
                char::from(ALPHABET[digit])
            })
            .collect();
        Self(text)
    }

    /// Name of the token's Secret.
    #[must_use]
    pub fn secret_name(&self) -> String {
        format!("bootstrap-token-{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_machine_keeps_its_id_and_the_next_attempt_has_another() {
        let uid = "7f4b6c0e-1d52-4a1c-9f43-0a7d6a9d0001";
        assert_eq!(TokenId::for_machine(uid, 0), TokenId::for_machine(uid, 0));
        assert_ne!(TokenId::for_machine(uid, 0), TokenId::for_machine(uid, 1));
    }

    #[test]
    fn machines_created_together_share_no_token() {
        // Gardener's ids come from five characters of the name: 500 machines made about six collisions.
        let ids: BTreeSet<_> = (0..10_000)
            .map(|count| TokenId::for_machine(&format!("7f4b6c0e-1d52-4a1c-9f43-{count:012}"), 0).0)
            .collect();
        assert_eq!(ids.len(), 10_000);
    }
}
