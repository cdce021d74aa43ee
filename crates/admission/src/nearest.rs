//! "Did you mean …?": the candidate that a misspelled word was most likely to be.

/// The nearest candidate, if it is near enough to be a typing mistake.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Distances cost the product of the lengths; nobody misspells a word this long by hand.
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().min(word.len()).div_ceil(3).min(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The suggestion as the end of a message, empty when there is none.
#[must_use]
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default()
}

/// Insertions, deletions and replacements from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_find_their_word_and_other_words_find_none() {
        let known = ["size", "image", "zone", "diskGiB", "network"];
        for (word, want) in [
            ("siez", Some("size")),
            ("Image", Some("image")),
            ("diskGB", Some("diskGiB")),
            ("disk-gib", Some("diskGiB")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), want, "{word:?}");
        }
    }
}
