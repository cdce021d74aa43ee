//! How findings are printed.

mod json;
mod text;

pub(crate) use json::{json, severity};
pub(crate) use text::{summary, text};
