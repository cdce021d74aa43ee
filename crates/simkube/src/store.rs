//! What the API server knows: every version of every object, and the rules by which they change. No I/O and no clock.

mod budget;
mod create;
mod delete;
mod evict;
mod lists;
mod names;
mod patch;
mod put;
mod scale;
mod strategic;
mod tidy;
mod update;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::{kind::ResourceKind, object, refusal::Refusal, verb::Verb, write::Write};

pub(crate) use self::{
    delete::DeleteOptions,
    lists::{ListQuery, Past},
    patch::PatchBody,
    update::Endpoint,
};

/// As etcd's of a cluster that has just started: it has written its own objects already.
const FIRST_REVISION: u64 = 300;

/// On whose behalf something is done, and when.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) who: String,
    pub(crate) request: Option<u64>,
    pub(crate) verb: Verb,
    pub(crate) now: Timestamp,
    pub(crate) since_start: Duration,
}

/// An object, there or not.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) kind: &'static ResourceKind,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Target {
    fn key(&self) -> String {
        object::key(&self.namespace, &self.name)
    }

    fn not_found(&self) -> Refusal {
        Refusal::not_found(self.kind, &self.name)
    }
}

/// An answer: its HTTP status and its body.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn ok(body: Value) -> Self {
        Self { code: 200, body }
    }
}

/// The versions of an object, oldest first; `None` where it was deleted.
type Versions = Vec<(u64, Option<Arc<Value>>)>;

/// The objects of a kind in the order of lists.
type Table = BTreeMap<String, Versions>;

/// What the API server knows.
#[derive(Clone)]
pub(crate) struct Store {
    revision: u64,
    /// Older watches and lists can't be answered.
    compacted: u64,
    uids: u64,
    salt: u32,
    suffixes: u64,
    tables: BTreeMap<(&'static str, &'static str), Table>,
    log: Vec<Arc<Write>>,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self {
            revision: FIRST_REVISION,
            compacted: FIRST_REVISION,
            uids: 0,
            salt: 0,
            suffixes: 0,
            tables: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn compacted(&self) -> u64 {
        self.compacted
    }

    /// Forgets what lies behind: watches and lists of the past are refused from now on.
    pub(crate) fn compact(&mut self) {
        self.compacted = self.revision;
    }

    /// Makes the UIDs to come differ from those of a store with another salt.
    pub(crate) fn salt(&mut self, salt: u32) {
        self.salt = salt;
    }

    /// All writes, oldest first.
    pub(crate) fn log(&self) -> &[Arc<Write>] {
        &self.log
    }

    pub(crate) fn get(&self, at: &Target) -> Option<Arc<Value>> {
        self.get_at(at, Past::Now)
    }

    pub(crate) fn get_at(&self, at: &Target, past: Past) -> Option<Arc<Value>> {
        let versions = self.tables.get(&(at.kind.group, at.kind.plural))?.get(&at.key())?;
        state_at(versions, past.revision(self))
    }

    fn existing(&self, at: &Target) -> Result<Arc<Value>, Refusal> {
        self.get(at).ok_or_else(|| at.not_found())
    }

    /// All objects of a kind, in the order of lists.
    pub(crate) fn all(&self, kind: &ResourceKind, past: Past) -> impl Iterator<Item = (&str, Arc<Value>)> {
        let revision = past.revision(self);
        let table = self.tables.get(&(kind.group, kind.plural));
        table
            .into_iter()
            .flatten()
            .filter_map(move |(key, versions)| Some((key.as_str(), state_at(versions, revision)?)))
    }

    /// Writes what was decided, and tells what is there now.
    fn commit(
        &mut self,
        by: &Caller,
        at: &Target,
        subresource: &'static str,
        after: Option<Value>,
    ) -> Option<Arc<Value>> {
        self.revision += 1;
        let revision = self.revision;
        let before = self.get(at);
        let after = after.map(|mut object| {
            object::set_revision(&mut object, revision);
            Arc::new(object)
        });
        let table = self.tables.entry((at.kind.group, at.kind.plural)).or_default();
        table.entry(at.key()).or_default().push((revision, after.clone()));
        self.log.push(Arc::new(Write {
            revision,
            who: by.who.clone(),
            request: by.request,
            verb: by.verb,
            group: at.kind.group,
            resource: at.kind.plural,
            subresource,
            namespace: at.namespace.clone(),
            name: at.name.clone(),
            before,
            after: after.clone(),
            at: by.now,
            since_start: by.since_start,
            kind: at.kind,
        }));
        after
    }
}

fn state_at(versions: &Versions, revision: u64) -> Option<Arc<Value>> {
    let (_, state) = versions.iter().rev().find(|(made, _)| *made <= revision)?;
    state.clone()
}
