//! Everything in an account, and the operations that go on in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use http::StatusCode;
use serde_json::Value;

use super::{
    ArmError, Settings, clock,
    entra::Tokens,
    operation::{Ending, Operation, Progress},
    reply::Reply,
    request::Request,
    resource::{Key, Kind, Resource},
    vm_delete,
};

/// The state of the stand-in.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) settings: Settings,
    pub(super) resources: BTreeMap<Key, Resource>,
    pub(super) operations: Vec<Operation>,
    pub(super) tokens: Tokens,
    /// Plans whose terms were accepted, each as publisher, offer and plan in lower case.
    pub(super) accepted: BTreeSet<[String; 3]>,
    /// What a test put at a path, in lower case.
    pub(super) props: BTreeMap<String, Value>,
    /// For how long lists do not show what is new.
    pub(super) list_lag: Duration,
    numbers: u64,
}

impl Account {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            tokens: Tokens::new(&settings),
            settings,
            resources: BTreeMap::new(),
            operations: Vec::new(),
            accepted: BTreeSet::new(),
            props: BTreeMap::new(),
            list_lag: Duration::ZERO,
            numbers: 0,
        }
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub(super) fn guid(&mut self) -> String {
        let number = self.number();
        format!("{number:08x}-0000-4000-8000-{number:012x}")
    }

    pub(super) fn id(&self, kind: Kind, group: &str, name: &str) -> String {
        let (namespace, collection) = (kind.namespace(), kind.collection());
        let subscription = self.settings.subscription;
        format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/{namespace}/{collection}/{name}"
        )
    }

    pub(super) fn has_group(&self, group: &str) -> bool {
        self.settings.resource_groups.iter().any(|known| known.eq_ignore_ascii_case(group))
    }

    pub(super) fn running(&self, key: &Key) -> Option<&Operation> {
        self.operations
            .iter()
            .rev()
            .find(|operation| operation.key == *key && operation.progress == Progress::Running)
    }

    /// Ends what is over by now.
    pub(super) fn settle(&mut self, now: Instant) {
        while let Some(at) = self
            .operations
            .iter()
            .position(|operation| operation.progress == Progress::Running && operation.ends <= now)
        {
            let operation = &mut self.operations[at];
            operation.progress = match operation.doom.take() {
                Some(error) => Progress::Failed(error),
                None => Progress::Succeeded,
            };
            let (key, ending) = (operation.key.clone(), operation.ending);
            let state = if operation.progress == Progress::Succeeded { "Succeeded" } else { "Failed" };
            match ending {
                Ending::Remove if state == "Succeeded" && key.kind == Kind::Vm => {
                    vm_delete::take_apart(self, &key)
                }
                Ending::Remove if state == "Succeeded" => drop(self.resources.remove(&key)),
                Ending::Remove | Ending::Settle => {
                    if let Some(resource) = self.resources.get_mut(&key) {
                        resource.state = state;
                    }
                }
            }
        }
    }

    /// Begins an operation and answers with the headers by which it is followed.
    pub(super) fn begin(
        &mut self,
        request: &Request,
        key: &Key,
        ending: Ending,
        takes: Duration,
    ) -> Vec<(&'static str, String)> {
        let id = self.guid();
        self.operations.push(Operation {
            id: id.clone(),
            key: key.clone(),
            ending,
            ends: request.now + takes,
            doom: request.doom.clone(),
            progress: Progress::Running,
            started: clock::now(),
        });
        let (base, version) = (&request.base, request.api_version());
        let Settings { subscription, location, .. } = self.settings;
        let namespace = key.kind.namespace();
        let place = format!("{base}/subscriptions/{subscription}/providers/{namespace}/locations/{location}");
        let is_compute = namespace == "Microsoft.Compute";
        let (follow, result) = if is_compute {
            let place = format!("{place}/operations/{id}?p={id}");
            (format!("{place}&api-version={version}"), format!("{place}&monitor=true&api-version={version}"))
        } else {
            let version = format!("?api-version={version}");
            (format!("{place}/operations/{id}{version}"), format!("{place}/operationResults/{id}{version}"))
        };
        let mut headers = vec![("azure-asyncoperation", follow), self.retry_after()];
        // The creation of a VM or an interface is followed by its status alone.
        if ending == Ending::Remove || key.kind == Kind::Disk {
            headers.push(("location", result));
        }
        if is_compute {
            headers.push(("azure-asyncnotification", "Enabled".to_owned()));
        }
        headers
    }

    pub(super) fn retry_after(&self) -> (&'static str, String) {
        ("retry-after", self.settings.retry_after.as_secs().to_string())
    }

    /// Takes the place of what goes on at that thing.
    pub(super) fn preempt(&mut self, key: &Key) {
        let running =
            |operation: &&mut Operation| operation.key == *key && operation.progress == Progress::Running;
        for operation in self.operations.iter_mut().filter(running) {
            operation.progress = Progress::Preempted;
        }
    }

    /// Refuses a write at something at which another goes on.
    pub(super) fn idle(&self, key: &Key) -> Result<(), ArmError> {
        let Some(operation) = self.running(key) else { return Ok(()) };
        Err(ArmError::conflict(
            "AnotherOperationInProgress",
            format!(
                "Another operation on this or dependent resource is in progress (operation id {}).",
                operation.id
            ),
        ))
    }

    /// Deletes something that is no VM, in the time that takes.
    pub(super) fn remove(&mut self, request: &Request, key: &Key) -> Result<Reply, ArmError> {
        if !self.resources.contains_key(key) {
            return Ok(Reply::empty(StatusCode::NO_CONTENT));
        }
        self.idle(key)?;
        if let Some(resource) = self.resources.get_mut(key) {
            resource.state = "Deleting";
        }
        let headers = self.begin(request, key, Ending::Remove, self.settings.others_take);
        Ok(Reply::empty(StatusCode::ACCEPTED).with(headers))
    }

    pub(super) fn not_found(&self, kind: Kind, group: &str, name: &str) -> ArmError {
        let what = kind.type_name();
        ArmError::missing(
            "ResourceNotFound",
            format!("The Resource '{what}/{name}' under resource group '{group}' was not found."),
        )
    }
}
