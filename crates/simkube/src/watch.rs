//! Watches: a stream of events for each, made from the log of writes, and what may be done to them.

mod event;
mod fault;
mod faults;
mod pending;
mod stream;
mod watches;

pub use self::{fault::WatchFault, watches::Watches};
pub(crate) use self::{
    faults::Faults,
    stream::{Order, Start, Stream},
};
