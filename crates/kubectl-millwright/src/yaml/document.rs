//! The documents of a file, each read on its own: what is wrong with one says nothing about the next.

use std::rc::Rc;

use crate::yaml::chunk::split;
use crate::yaml::compose::{Composed, Repeated, compose};
use crate::yaml::{Node, Place};

/// Something that keeps a text from being a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) place: Place,
    pub(crate) message: String,
}

/// A document that could be read.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) root: Rc<Node>,
    /// Keys that stand twice in one map; the last one is in the tree.
    pub(crate) repeated: Vec<Repeated>,
}

/// Every document of a text that holds something, in order.
pub(crate) fn documents(text: &str) -> Vec<Result<Document, Flaw>> {
    let read = |chunk| match chunk {
        Ok(chunk) => match compose(&chunk) {
            Ok(Some(Composed { root, repeated })) => Some(Ok(Document { root, repeated })),
            Ok(None) => None,
            Err(mut flaw) => {
                if chunk.text.contains("{{") {
                    flaw.message
                        .push_str("; this looks like a template: render it first and lint what comes out, as in helm template … | kubectl millwright lint -");
                }
                Some(Err(flaw))
            }
        },
        Err(flaw) => Some(Err(flaw)),
    };
    split(text).into_iter().filter_map(read).collect()
}
