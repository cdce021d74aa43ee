//! A bounded model check of rollouts: the production decisions of a deployment and its sets, with machines that boot,
//! fail and go, users and an autoscaler that change their mind, controllers that die between any two writes, and
//! everything seen late that others wrote. Every state that a scope allows is looked at.
//!
//! Rules at every state: never more machines than replicas and surge, no available machine deleted that availability
//! needs, none deleted that nobody had to delete; from every state everything comes to rest, and at rest nobody writes.
//!
//! `MODEL_FULL=1 cargo test --release -p millwright-decide --test model -- --nocapture` looks at larger scopes and prints
//! how many states each has. A violation is printed with the shortest path to it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a rule that is broken fails here")]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../it/fixtures"]
mod fixtures {
    pub(crate) mod deployment;
    pub(crate) mod machine;
    pub(crate) mod names;
    pub(crate) mod set;
    pub(crate) mod time;
}
#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../it/rollout_simulation/stage.rs"]
mod stage;

mod check;
mod explorer;
mod key;
mod mutant;
mod mutants;
mod rest;
mod rules;
mod scope;
mod state;
mod step;
mod user;
