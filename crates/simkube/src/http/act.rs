//! Carries a request out.

use std::time::Duration;

use serde_json::Value;

use super::{ask::Ask, discovery, route::Route};
use crate::kind::{ResourceKind, Scale, StatusRule};
use crate::refusal::Refusal;
use crate::selector::{FieldSelector, Selector};
use crate::simkube::SimKube;
use crate::store::{Answer, Caller, DeleteOptions, Endpoint, ListQuery, Past, PatchBody, Store, Target};
use crate::verb::Verb;
use crate::watch::{Order, Start, Stream};

/// How long a watch lasts that names no time.
const WATCH_LASTS: Duration = Duration::from_secs(1800);

/// What came of a request.
pub(super) enum Outcome {
    Answer(Answer),
    Text(&'static str),
    Events(Box<Stream>),
}

/// Carries a request out. Reads see the `past`.
pub(super) fn act(sim: &SimKube, ask: &Ask, number: u64, past: Past) -> Result<Outcome, Refusal> {
    let by = sim.caller(&ask.who, Some(number), ask.verb());
    let method = ask.method.as_str();
    match (&ask.route, method) {
        (Route::Plain(path), "GET") => match discovery::answer(path) {
            Some(discovery::Plain::Json(body)) => Ok(Outcome::Answer(Answer::ok(body))),
            Some(discovery::Plain::Text(text)) => Ok(Outcome::Text(text)),
            None => Err(Refusal::no_path()),
        },
        (Route::Plain(_), _) => Err(Refusal::no_path()),
        (Route::Collection { kind, namespace }, "GET") => {
            let selector = selector(kind, namespace, ask)?;
            if by.verb == Verb::Watch {
                return watch(sim, ask, kind, selector, past);
            }
            let list = sim.read(|store| store.list(kind, &selector, &list_query(ask), past))?;
            Ok(Outcome::Answer(Answer::ok(ask.shape.of_list(list))))
        }
        (Route::Object(at), "GET") if by.verb == Verb::Watch => {
            let selector =
                Selector { fields: FieldSelector::name(&at.name), ..selector(at.kind, &at.namespace, ask)? };
            watch(sim, ask, at.kind, selector, past)
        }
        (Route::Object(at), "GET") => get(sim, ask, at, past),
        (Route::Subresource(at, name), "GET") => match name.as_str() {
            "status" if at.kind.status != StatusRule::None => get(sim, ask, at, past),
            "scale" if at.kind.scale == Scale::Replicas => {
                sim.read(|store| store.scale(at)).map(|scale| Outcome::Answer(Answer::ok(scale)))
            }
            _ => Err(Refusal::no_path()),
        },
        _ => {
            let answer = write(sim, ask, &by)?;
            Ok(Outcome::Answer(Answer { body: ask.shape.of_object(answer.body), ..answer }))
        }
    }
}

fn get(sim: &SimKube, ask: &Ask, at: &Target, past: Past) -> Result<Outcome, Refusal> {
    let found = sim.read(|store| store.get_at(at, past));
    let found = found.ok_or_else(|| Refusal::not_found(at.kind, &at.name))?;
    Ok(Outcome::Answer(Answer::ok(ask.shape.of_object(Value::clone(&found)))))
}

fn selector(kind: &ResourceKind, namespace: &str, ask: &Ask) -> Result<Selector, Refusal> {
    Selector::parse(kind, namespace, ask.query.get("labelSelector"), ask.query.get("fieldSelector"))
}

fn list_query(ask: &Ask) -> ListQuery {
    let text = |name| ask.query.get(name).map(str::to_owned);
    ListQuery {
        limit: ask.query.number("limit").and_then(|limit| usize::try_from(limit).ok()),
        continue_token: text("continue"),
        resource_version: text("resourceVersion"),
        version_match: text("resourceVersionMatch"),
    }
}

fn watch(
    sim: &SimKube,
    ask: &Ask,
    kind: &'static ResourceKind,
    selector: Selector,
    past: Past,
) -> Result<Outcome, Refusal> {
    let query = &ask.query;
    let start = match query.get("resourceVersion") {
        _ if query.is_set("sendInitialEvents") => Start::StateAndBookmark(past),
        None | Some("" | "0") => Start::State(past),
        Some(text) => {
            let revision = text.parse();
            let why = || Refusal::bad_request(format!("Invalid value: {text:?}: it must be a number"));
            Start::After(revision.map_err(|_| why())?)
        }
    };
    let order = Order {
        kind,
        selector,
        shape: ask.shape,
        who: ask.who.clone(),
        start,
        bookmarks: query.is_set("allowWatchBookmarks"),
        time_limit: query
            .number("timeoutSeconds")
            .filter(|limit| *limit > 0)
            .map_or(WATCH_LASTS, Duration::from_secs),
    };
    Ok(Outcome::Events(Box::new(Stream::start(sim.clone(), order))))
}

fn write(sim: &SimKube, ask: &Ask, by: &Caller) -> Result<Answer, Refusal> {
    if ask.query.get("dryRun") == Some("All") {
        // What is done to a copy leaves no trace.
        let mut copy = sim.read(Store::clone);
        return write_to(&mut copy, ask, by);
    }
    sim.write(|store| write_to(store, ask, by))
}

fn write_to(store: &mut Store, ask: &Ask, by: &Caller) -> Result<Answer, Refusal> {
    let patch = || PatchBody::read(&ask.content_type, &ask.body);
    match (&ask.route, ask.method.as_str()) {
        (Route::Collection { kind, namespace }, "POST") if kind.is_namespaced() != namespace.is_empty() => {
            let at = Target { kind, namespace: namespace.clone(), name: String::new() };
            store.create(by, at, ask.json()?)
        }
        (Route::Collection { kind, namespace }, "DELETE") if kind.is_namespaced() != namespace.is_empty() => {
            let selector = selector(kind, namespace, ask)?;
            store.delete_all(by, kind, &selector, &delete_options(ask)?)
        }
        (Route::Object(at), "PUT") => store.replace(by, at, Endpoint::Main, ask.json()?),
        (Route::Object(at), "PATCH") => store.patch(by, at, Endpoint::Main, &patch()?),
        (Route::Object(at), "DELETE") => store.delete(by, at, &delete_options(ask)?),
        (Route::Subresource(at, name), method) => match (name.as_str(), method) {
            ("status", "PUT") if at.kind.status != StatusRule::None => {
                store.replace(by, at, Endpoint::Status, ask.json()?)
            }
            ("status", "PATCH") if at.kind.status != StatusRule::None => {
                store.patch(by, at, Endpoint::Status, &patch()?)
            }
            ("scale", "PUT") if at.kind.scale == Scale::Replicas => store.replace_scale(by, at, &ask.json()?),
            ("scale", "PATCH") if at.kind.scale == Scale::Replicas => store.patch_scale(by, at, &patch()?),
            ("eviction", "POST") if at.kind.plural == "pods" => store.evict(by, at, &ask.json()?),
            ("status", _) if at.kind.status != StatusRule::None => Err(Refusal::no_method()),
            _ => Err(Refusal::no_path()),
        },
        _ => Err(Refusal::no_method()),
    }
}

fn delete_options(ask: &Ask) -> Result<DeleteOptions, Refusal> {
    if ask.body.is_empty() {
        return DeleteOptions::read(&Value::Null);
    }
    DeleteOptions::read(&ask.json()?)
}
