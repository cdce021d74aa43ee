//! Names for sets. The hash only names things: which set is the newest follows from equal templates.

use millwright_api::MachineTemplate;

/// FNV-1a over the template's JSON and the number of collisions so far.
#[must_use]
pub fn template_hash(template: &MachineTemplate, collisions: i32) -> u32 {
    let json = serde_json::to_vec(template).unwrap_or_default();
    json.iter()
        .chain(&i64::from(collisions).to_le_bytes())
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The five characters of a set's name: first digits of the hash, in letters that form no words.
#[must_use]
pub fn encode_hash(hash: u32) -> String {
    const LETTERS: [char; 10] = ['4', '5', '6', '7', '8', '9', 'b', 'c', 'd', 'f'];
    hash.to_string().bytes().take(5).map(|digit| LETTERS[usize::from(digit - b'0')]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collision_changes_the_name() {
        let template = MachineTemplate::default();
        assert_eq!(template_hash(&template, 0), template_hash(&template, 0));
        assert_ne!(template_hash(&template, 0), template_hash(&template, 1));
    }

    #[test]
    fn digits_become_letters_as_in_gardeners_names() {
        assert_eq!(encode_hash(123_456_789), "56789");
        assert_eq!(encode_hash(67_890), "bcdf4");
        assert_eq!(encode_hash(42), "86");
    }
}
