//! A document as a tree in which everything knows where it was written. What an alias repeats is shared, not copied.

use std::rc::Rc;

use serde_json::{Map, Value};

/// A place in a file, counted from 1 as editors do; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    /// The beginning of a file.
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

/// A value and where it begins.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) content: Content,
    /// How many nodes it is when every alias is written out.
    pub(crate) size: usize,
    /// How many levels it has when every alias is written out.
    pub(crate) depth: usize,
}

/// What a node holds.
#[derive(Debug)]
pub(crate) enum Content {
    /// A text, number, flag or nothing.
    Scalar(Value),
    /// The plain word `<<`, which as a key brings in another map.
    Merge,
    /// Items in order.
    List(Vec<Rc<Node>>),
    /// Keys in order, each once.
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Where the key stands.
    pub(crate) place: Place,
    pub(crate) node: Rc<Node>,
}

impl Node {
    pub(crate) fn scalar(place: Place, value: Value) -> Self {
        Self { place, content: Content::Scalar(value), size: 1, depth: 1 }
    }

    pub(crate) fn list(place: Place, items: Vec<Rc<Self>>) -> Self {
        let (size, depth) = extent(items.iter());
        Self { place, content: Content::List(items), size, depth }
    }

    pub(crate) fn map(place: Place, entries: Vec<Entry>) -> Self {
        let (size, depth) = extent(entries.iter().map(|entry| &entry.node));
        Self { place, content: Content::Map(entries), size, depth }
    }

    /// The entry of that key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.content {
            Content::Map(entries) => entries.iter().find(|entry| entry.key == key),
            Content::Scalar(_) | Content::Merge | Content::List(_) => None,
        }
    }

    /// The text under that key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match &self.entry(key)?.node.content {
            Content::Scalar(value) => value.as_str(),
            Content::Merge | Content::List(_) | Content::Map(_) => None,
        }
    }

    /// As JSON, the way it leaves kubectl.
    pub(crate) fn to_json(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::Merge => Value::String("<<".to_owned()),
            Content::List(items) => Value::Array(items.iter().map(|item| item.to_json()).collect()),
            Content::Map(entries) => {
                let mut map = Map::with_capacity(entries.len());
                for entry in entries {
                    map.insert(entry.key.clone(), entry.node.to_json());
                }
                Value::Object(map)
            }
        }
    }
}

fn extent<'a>(nodes: impl Iterator<Item = &'a Rc<Node>>) -> (usize, usize) {
    let (size, depth) = nodes.fold((1_usize, 0_usize), |(size, depth), node| {
        (size.saturating_add(node.size), depth.max(node.depth))
    });
    (size, depth.saturating_add(1))
}
