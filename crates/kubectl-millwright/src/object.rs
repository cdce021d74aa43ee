//! Objects in documents: which are ours, which are Secrets, and which are lists of others.

use std::rc::Rc;

use millwright_admission::{Kind, suggestion};
use millwright_api::{API_VERSION, GROUP};
use serde_json::Value;

use crate::finding::Subject;
use crate::yaml::{Content, Node};

/// An object that is ours.
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) subject: Rc<Subject>,
    pub(crate) node: Rc<Node>,
    pub(crate) json: Value,
}

/// What a document may hold.
pub(crate) enum Seen {
    Ours(Object),
    /// Of our group, but nothing that there is: the field that is wrong and what is wrong with it.
    Stranger {
        subject: Subject,
        node: Rc<Node>,
        field: &'static str,
        message: String,
    },
    Secret {
        subject: Subject,
        node: Rc<Node>,
    },
    Other,
}

/// Everything in a document, lists unfolded. `namespace` is for objects that name none.
pub(crate) fn objects(root: &Rc<Node>, namespace: &str) -> Vec<Seen> {
    let mut seen = Vec::new();
    unfold(root, namespace, &mut seen);
    seen
}

fn unfold(node: &Rc<Node>, namespace: &str, seen: &mut Vec<Seen>) {
    let kind = node.text("kind").unwrap_or_default();
    if kind.ends_with("List")
        && let Some(Content::List(items)) = node.entry("items").map(|entry| &entry.node.content)
    {
        for item in items {
            unfold(item, namespace, seen);
        }
        return;
    }
    seen.push(classify(node, kind, namespace));
}

fn classify(node: &Rc<Node>, kind: &str, namespace: &str) -> Seen {
    let version = node.text("apiVersion").unwrap_or_default();
    let metadata = node.entry("metadata").map(|entry| &entry.node);
    let text = |key| metadata.and_then(|metadata| metadata.text(key)).filter(|text| !text.is_empty());
    let subject = || Subject {
        kind: kind.to_owned(),
        namespace: text("namespace").unwrap_or(namespace).to_owned(),
        name: text("name").unwrap_or_default().to_owned(),
    };
    let stranger =
        |field, message| Seen::Stranger { subject: subject(), node: Rc::clone(node), field, message };
    match (version, Kind::parse(kind)) {
        (API_VERSION, Some(kind)) => Seen::Ours(Object {
            kind,
            subject: Rc::new(subject()),
            node: Rc::clone(node),
            json: node.to_json(),
        }),
        (API_VERSION, None) => {
            let names = Kind::ALL.map(Kind::as_str);
            let near = suggestion(kind, names);
            stranger("kind", format!("{kind:?} is no kind of {GROUP}; it has {}{near}", names.join(", ")))
        }
        ("", Some(_)) => stranger("apiVersion", format!("must be set to {API_VERSION}")),
        (version, _)
            if version.strip_prefix(GROUP).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) =>
        {
            stranger("apiVersion", format!("{version:?} is no version of {GROUP}; write {API_VERSION}"))
        }
        ("v1", None) if kind == "Secret" => Seen::Secret { subject: subject(), node: Rc::clone(node) },
        _ => Seen::Other,
    }
}
