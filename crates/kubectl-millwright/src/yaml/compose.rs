//! From the parser's events to a tree: aliases and merge keys resolved, bounded in size and depth whatever aliases of aliases would make.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use crate::yaml::chunk::Chunk;
use crate::yaml::scalar::{Style, resolve};
use crate::yaml::{Content, Entry, Flaw, Node, Place};

/// More values than any list of objects that an API server would take.
const MOST_NODES: usize = 2_000_000;
/// JSON that is nested deeper is refused by the webhook.
const DEEPEST: usize = 120;

/// A tree and the keys that were written twice.
#[derive(Debug)]
pub(crate) struct Composed {
    pub(crate) root: Rc<Node>,
    pub(crate) repeated: Vec<Repeated>,
}

/// A key that stands in its map for the second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    pub(crate) key: String,
    pub(crate) place: Place,
    /// The line where it stands first.
    pub(crate) first: usize,
}

/// The tree of a text; none when it holds nothing but comments.
pub(crate) fn compose(chunk: &Chunk<'_>) -> Result<Option<Composed>, Flaw> {
    let options = granit_parser::options! { emit_comments: false };
    let mut composer =
        Composer { chunk, open: Vec::new(), anchors: HashMap::new(), root: None, repeated: Vec::new() };
    for event in Parser::new_from_str_with_options(chunk.text, options) {
        let (event, span) = event.map_err(|error| Flaw {
            place: composer.place(error.marker()),
            message: format!("no YAML: {}", error.info()),
        })?;
        composer.take(event, &span.start)?;
    }
    let Composer { root, repeated, .. } = composer;
    Ok(root.map(|root| Composed { root, repeated }))
}

struct Composer<'a> {
    chunk: &'a Chunk<'a>,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    root: Option<Rc<Node>>,
    repeated: Vec<Repeated>,
}

/// A collection whose end has not come.
enum Open {
    List { anchor: usize, place: Place, items: Vec<Rc<Node>> },
    Map(OpenMap),
}

struct OpenMap {
    anchor: usize,
    place: Place,
    entries: Vec<Entry>,
    /// Where in `entries` a key is, and whether it came by a merge.
    known: HashMap<String, (usize, Origin)>,
    key: Option<Rc<Node>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Written,
    Merged,
}

impl Composer<'_> {
    fn place(&self, marker: &Marker) -> Place {
        self.chunk.place(marker.line(), marker.col() + 1)
    }

    fn take(&mut self, event: Event<'_>, start: &Marker) -> Result<(), Flaw> {
        let place = self.place(start);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => Err(Flaw {
                place,
                message: "kubectl reads nothing behind the end of a document but after a line ---; write that line here".to_owned(),
            }),
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag, place),
            Event::SequenceStart(_, anchor, _) => {
                self.open.push(Open::List { anchor, place, items: Vec::new() });
                self.bounded(place)
            }
            Event::MappingStart(_, anchor, _) => {
                let map = OpenMap { anchor, place, entries: Vec::new(), known: HashMap::new(), key: None };
                self.open.push(Open::Map(map));
                self.bounded(place)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { anchor, place, items }) => self.add(Node::list(place, items), anchor),
                Some(Open::Map(map)) => self.add(Node::map(map.place, map.entries), map.anchor),
                None => Ok(()),
            },
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) => self.put(Rc::clone(node)),
                None => Err(Flaw { place, message: "no YAML: an alias stands inside what it stands for".to_owned() }),
            },
            // Streams, ends of documents, comments; and what a later parser may add beside the data.
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        place: Place,
    ) -> Result<(), Flaw> {
        let plain = style == ScalarStyle::Plain;
        let tag = tag.as_deref();
        if text == "<<" && (plain && tag.is_none() || tag.and_then(Tag::core_suffix) == Some("merge")) {
            return self.add(Node { place, content: Content::Merge, size: 1, depth: 1 }, anchor);
        }
        let tag = tag.map(|tag| tag.core_suffix().unwrap_or("of somebody else"));
        let style = if plain { Style::Plain } else { Style::Text };
        let value = resolve(text, style, tag).map_err(|message| Flaw { place, message })?;
        self.add(Node::scalar(place, value), anchor)
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), Flaw> {
        let node = Rc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.put(node)
    }

    /// Puts a whole node where the next one belongs.
    fn put(&mut self, node: Rc<Node>) -> Result<(), Flaw> {
        if node.size > MOST_NODES {
            let message = format!(
                "more than {MOST_NODES} values with every alias written out; that is more than an API server takes"
            );
            return Err(Flaw { place: node.place, message });
        }
        if node.depth > DEEPEST {
            return Err(too_deep(node.place));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map(map)) => match map.key.take() {
                None => map.key = Some(node),
                Some(key) => self.repeated.extend(map.set(&key, node)?),
            },
        }
        Ok(())
    }

    fn bounded(&self, place: Place) -> Result<(), Flaw> {
        if self.open.len() > DEEPEST { Err(too_deep(place)) } else { Ok(()) }
    }
}

fn too_deep(place: Place) -> Flaw {
    Flaw { place, message: format!("more than {DEEPEST} levels; that is deeper than anybody reads") }
}

impl OpenMap {
    fn set(&mut self, key: &Rc<Node>, node: Rc<Node>) -> Result<Option<Repeated>, Flaw> {
        if matches!(key.content, Content::Merge) {
            self.merge(key.place, &node)?;
            return Ok(None);
        }
        let text = key_text(key)?;
        Ok(self.insert(Entry { key: text, place: key.place, node }, Origin::Written))
    }

    /// The later one wins, as in kubectl, even where it was merged.
    fn insert(&mut self, entry: Entry, origin: Origin) -> Option<Repeated> {
        let Some(known) = self.known.get_mut(&entry.key) else {
            self.known.insert(entry.key.clone(), (self.entries.len(), origin));
            self.entries.push(entry);
            return None;
        };
        let before = &mut self.entries[known.0];
        let twice = *known == (known.0, Origin::Written) && origin == Origin::Written;
        let repeated =
            twice.then(|| Repeated { key: entry.key.clone(), place: entry.place, first: before.place.line });
        *before = entry;
        known.1 = origin;
        repeated
    }

    fn merge(&mut self, place: Place, node: &Node) -> Result<(), Flaw> {
        let none = || Flaw {
            place,
            message: "no YAML: << merges a map or a list of maps, and this is neither".to_owned(),
        };
        match &node.content {
            Content::Map(entries) => {
                for entry in entries {
                    self.insert(entry.clone(), Origin::Merged);
                }
                Ok(())
            }
            // The first of a list counts most, so it comes last.
            Content::List(items) => items.iter().rev().try_for_each(|item| match &item.content {
                Content::Map(_) => self.merge(place, item),
                Content::Scalar(_) | Content::Merge | Content::List(_) => Err(none()),
            }),
            Content::Scalar(_) | Content::Merge => Err(none()),
        }
    }
}

/// Keys are texts in JSON; kubectl writes numbers and flags as such.
fn key_text(key: &Node) -> Result<String, Flaw> {
    use serde_json::Value;
    match &key.content {
        Content::Scalar(Value::String(text)) => Ok(text.clone()),
        Content::Scalar(value @ (Value::Bool(_) | Value::Number(_))) => Ok(value.to_string()),
        Content::Merge => Ok("<<".to_owned()),
        Content::Scalar(_) => {
            Err(Flaw { place: key.place, message: "a key is missing before the colon".to_owned() })
        }
        Content::List(_) | Content::Map(_) => Err(Flaw {
            place: key.place,
            message: "a key is a list or a map; keys of objects are texts".to_owned(),
        }),
    }
}
