//! The HTTP face: requests to the store's verbs, outcomes to answers.

mod act;
mod ask;
mod discovery;
mod query;
mod reply;
mod route;
mod serve;
mod shape;

pub(crate) use self::{serve::serve, shape::Shape};
