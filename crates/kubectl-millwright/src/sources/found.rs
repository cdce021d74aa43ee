//! One text to judge.

use std::rc::Rc;

use crate::yaml::{Flaw, Place};

/// A text and how findings name it.
pub(crate) struct Source {
    pub(crate) name: Rc<str>,
    /// In bytes.
    pub(crate) length: u64,
    /// Or where it stops being a text.
    pub(crate) text: Result<String, Flaw>,
}

impl Source {
    pub(crate) fn new(name: &str, bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..good]);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
            let message = "a byte here is not UTF-8; save the file as UTF-8".to_owned();
            Flaw { place: Place { line, column }, message }
        });
        Self { name: name.into(), length, text }
    }
}
