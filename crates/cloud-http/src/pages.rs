//! Walking through the pages of a list without walking for ever.

use std::collections::BTreeSet;

/// The tokens seen so far.
#[derive(Debug, Default)]
pub struct Pages {
    next: Option<String>,
    asked: BTreeSet<String>,
    seen: usize,
}

/// A cloud that gives the same page again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list never ends: after {pages} pages the cloud names one as the next that was read already")]
pub struct SamePageTwice {
    /// How many pages were read.
    pub pages: usize,
}

impl Pages {
    /// The token of the next page to ask for; `None` on the first page.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// Notes what a page named as the next. `true` when there is one.
    ///
    /// # Errors
    /// When it is a page that was read already.
    pub fn turn(&mut self, next: Option<String>) -> Result<bool, SamePageTwice> {
        self.seen += 1;
        self.next = next.filter(|next| !next.is_empty());
        match &self.next {
            Some(next) if !self.asked.insert(next.clone()) => Err(SamePageTwice { pages: self.seen }),
            next => Ok(next.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_walked_to_its_end() {
        let mut pages = Pages::default();
        assert_eq!(pages.token(), None);
        assert_eq!(pages.turn(Some("b".into())), Ok(true));
        assert_eq!(pages.token(), Some("b"));
        assert_eq!(pages.turn(Some("c".into())), Ok(true));
        assert_eq!(pages.turn(Some(String::new())), Ok(false));
        assert_eq!(pages.token(), None);
    }

    #[test]
    fn a_list_that_goes_in_circles_is_an_error_and_no_end() {
        for circle in [&["a", "a"][..], &["a", "b", "a"]] {
            let mut pages = Pages::default();
            let (last, first) = circle.split_last().unwrap();
            for page in first {
                assert_eq!(pages.turn(Some((*page).into())), Ok(true));
            }
            let error = pages.turn(Some((*last).into())).unwrap_err();
            assert_eq!(error.pages, circle.len());
        }
    }
}
