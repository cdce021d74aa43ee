//! How many of a class's tags carry a mark that says whose its VMs are. What such a mark looks like is each cloud's.

/// The tags that carry one mark. Two are as bad as none: nobody could say to which of them a VM belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked<'a> {
    /// No tag carries it.
    None,
    /// This one alone.
    One(&'a str),
    /// More than one.
    Several,
}

impl<'a> Marked<'a> {
    /// What is among those tags, by what `carries` says of each.
    pub fn among(tags: impl IntoIterator<Item = &'a str>, carries: impl Fn(&str) -> bool) -> Self {
        let mut marked = tags.into_iter().filter(|tag| carries(tag));
        match (marked.next(), marked.next()) {
            (None, _) => Self::None,
            (Some(tag), None) => Self::One(tag),
            (Some(_), Some(_)) => Self::Several,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tags_with_one_mark_are_never_taken_for_one() {
        let marked = |tags: &[&'static str]| Marked::among(tags.iter().copied(), |tag| tag.starts_with("c-"));
        assert_eq!(marked(&[]), Marked::None);
        assert_eq!(marked(&["role", "x"]), Marked::None);
        assert_eq!(marked(&["role", "c-a", "x"]), Marked::One("c-a"));
        assert_eq!(marked(&["c-a", "role", "c-b"]), Marked::Several);
    }
}
