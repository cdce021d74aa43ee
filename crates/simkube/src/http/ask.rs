//! A request, read.

use bytes::Bytes;
use http::request::Parts;
use http::{Method, header};
use serde_json::Value;

use super::{query::Query, route::Route, shape::Shape};
use crate::{object, refusal::Refusal, request_info::RequestInfo, verb::Verb};

/// A request, read.
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) route: Route,
    pub(super) query: Query,
    pub(super) content_type: String,
    pub(super) shape: Shape,
    pub(super) body: Bytes,
    pub(super) who: String,
}

impl Ask {
    pub(super) fn read(head: &Parts, body: Bytes, who: String) -> Self {
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Self {
            method: head.method.clone(),
            route: Route::parse(head.uri.path()),
            query: Query::parse(head.uri.query().unwrap_or_default()),
            content_type: header(header::CONTENT_TYPE).to_owned(),
            shape: Shape::accepted(header(header::ACCEPT)),
            body,
            who,
        }
    }

    pub(super) fn json(&self) -> Result<Value, Refusal> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Refusal::bad_request(format!("the request body can't be read as JSON: {error}")))
    }

    pub(super) fn verb(&self) -> Verb {
        match (self.method.as_str(), &self.route) {
            ("GET", Route::Collection { .. }) if self.query.is_set("watch") => Verb::Watch,
            ("GET", Route::Collection { .. }) => Verb::List,
            ("POST", Route::Subresource(_, name)) if name == "eviction" => Verb::Evict,
            ("POST", _) => Verb::Create,
            ("PUT", _) => Verb::Update,
            ("PATCH", _) => Verb::Patch,
            ("DELETE", _) => Verb::Delete,
            _ => Verb::Get,
        }
    }

    pub(super) fn info(&self, number: u64) -> RequestInfo {
        let verb = self.verb();
        let (kind, namespace, name, subresource) = match &self.route {
            Route::Collection { kind, namespace } => {
                (Some(*kind), namespace.clone(), self.name_in_body(verb), "")
            }
            Route::Object(at) => (Some(at.kind), at.namespace.clone(), at.name.clone(), ""),
            Route::Subresource(at, subresource) => {
                (Some(at.kind), at.namespace.clone(), at.name.clone(), subresource.as_str())
            }
            Route::Plain(_) => (None, String::new(), String::new(), ""),
        };
        let resource = match (&self.route, kind) {
            (Route::Plain(path), _) => path.clone(),
            (_, kind) => kind.map(|kind| kind.plural.to_owned()).unwrap_or_default(),
        };
        RequestInfo {
            number,
            who: self.who.clone(),
            verb,
            group: kind.map(|kind| kind.group.to_owned()).unwrap_or_default(),
            resource,
            subresource: subresource.to_owned(),
            namespace,
            name,
            is_write: verb.is_write(),
        }
    }

    fn name_in_body(&self, verb: Verb) -> String {
        match verb {
            Verb::Create => {
                self.json().map(|body| object::meta(&body, "name").to_owned()).unwrap_or_default()
            }
            _ => String::new(),
        }
    }
}
