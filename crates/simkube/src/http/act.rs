//! Carries a request out.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ask::Ask, discovery, route::Route};
use crate::kind::{ResourceKind, Scale, StatusRule};
use crate::object;
use crate::refusal::Refusal;
use crate::selector::Selector;
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
    /// Not even a group is at the path.
    NoPage,
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
            None if discovery::is_known(path) => Err(Refusal::no_path()),
            None => Ok(Outcome::NoPage),
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
        (Route::Object(at), "GET") => get(sim, ask, at, past),
        (Route::Subresource(at, name), "GET") => match name.as_str() {
            "status" if at.kind.status != StatusRule::None => get(sim, ask, at, past),
            "scale" if at.kind.scale == Scale::Replicas => {
                sim.read(|store| store.scale(at)).map(|scale| Outcome::Answer(Answer::ok(scale)))
            }
            _ => Err(no_subresource(at)),
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
        _ if query.is_set("sendInitialEvents") => {
            if query.get("resourceVersionMatch") != Some("NotOlderThan") {
                let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
                return Err(Refusal::invalid_options("resourceVersionMatch", why));
            }
            Start::StateAndBookmark(past)
        }
        None | Some("" | "0") => Start::State(past),
        Some(text) => Start::After(text.parse().map_err(|_| Refusal::no_version(text))?),
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
    if !is_dry_run(ask) {
        return sim.write(|store| write_to(store, ask, by));
    }
    // What is done to a copy leaves no trace; what it made never had a version.
    let mut copy = sim.read(Store::clone);
    let revision = copy.revision();
    let mut answer = write_to(&mut copy, ask, by)?;
    if object::revision(&answer.body) > revision {
        let before = copy.log().last().and_then(|write| write.before.clone());
        let version = before.map(|before| json!(object::revision(&before).to_string()));
        object::put(&mut answer.body, "resourceVersion", version);
    }
    Ok(answer)
}

/// The options of a deletion that has a body are there alone.
fn is_dry_run(ask: &Ask) -> bool {
    match ask.json() {
        Ok(options) if ask.method == "DELETE" => {
            options["dryRun"].as_array().is_some_and(|list| !list.is_empty())
        }
        _ => ask.query.get("dryRun") == Some("All"),
    }
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
            _ => Err(no_subresource(at)),
        },
        _ => Err(Refusal::no_method()),
    }
}

/// Of custom resources it is the object that is said to be missing.
fn no_subresource(at: &Target) -> Refusal {
    if at.kind.is_custom() { Refusal::not_found(at.kind, &at.name) } else { Refusal::no_path() }
}

fn delete_options(ask: &Ask) -> Result<DeleteOptions, Refusal> {
    if ask.body.is_empty() {
        return DeleteOptions::read(&Value::Null);
    }
    DeleteOptions::read(&ask.json()?)
}
