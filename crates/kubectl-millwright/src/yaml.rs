//! Text to documents as kubectl reads them, with the place of everything. What a document means is for others.
//!
//! kubectl reads YAML 1.1 with Go's decoder and turns it into JSON: `yes` and `on` are true, `0640` and `0o640` are octal, `3.0` is the
//! whole number 3, a later key wins over an earlier one and a merge key over what stands before it. All of that holds here, but that a key
//! that is written twice is told.

mod chunk;
mod compose;
mod document;
mod node;
mod scalar;

pub(crate) use document::{Document, Flaw, documents};
pub(crate) use node::{Content, Entry, Node, Place};
