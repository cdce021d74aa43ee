//! What can be done to watches.

use std::time::Duration;

/// What can be done to watches. Those that last do so until [`crate::SimKube::heal_watches`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchFault {
    /// The next so many events never come; the stream goes on. Watches that resume before them don't see them either, only a list does.
    DropEvents(usize),
    /// Lasts: of what happens to an object within this time of the first event held back, only the outcome is told. One that was deleted
    /// and made anew was modified; one that was made and deleted never was.
    Merge(Duration),
    /// Lasts: events come this much later, and in order.
    Delay(Duration),
    /// Lasts: no events, but bookmarks that say that all is told.
    BookmarksOnly,
    /// Running watches end, as they do when a connection is closed.
    Cut,
    /// The next watch that starts is told that its resource version is too old.
    Expire,
}
