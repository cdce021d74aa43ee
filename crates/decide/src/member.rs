//! A machine of a set together with its node.

use millwright_api::{Machine, NodeView};

/// One machine, and its node as far as there is one.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Its node.
    pub node: Option<&'a NodeView>,
}
