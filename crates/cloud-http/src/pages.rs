//! Walking through the pages of a list without walking for ever.

/// The tokens seen so far.
#[derive(Debug, Default)]
pub struct Pages {
    last: Option<String>,
    seen: usize,
}

/// A cloud that gives the same page again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list never ends: after {pages} pages the cloud names the same next page again")]
pub struct SamePageTwice {
    /// How many pages were read.
    pub pages: usize,
}

impl Pages {
    /// The token of the next page to ask for; `None` on the first page.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Notes what a page named as the next. `true` when there is one.
    ///
    /// # Errors
    /// When it is the page that was just read.
    pub fn turn(&mut self, next: Option<String>) -> Result<bool, SamePageTwice> {
        self.seen += 1;
        let next = next.filter(|next| !next.is_empty());
        if next.is_some() && next == self.last {
            return Err(SamePageTwice { pages: self.seen });
        }
        self.last = next;
        Ok(self.last.is_some())
    }
}
