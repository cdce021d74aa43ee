//! An in-process Kubernetes API for deterministic tests: no sockets, no real time, no randomness.
//!
//! [`SimKube`] hands out clients that speak to it as to an API server, one for each actor. A [`Gate`] sees every request and may
//! refuse, lose, delay or hang it; [`WatchFault`]s drop, merge and delay watch events. [`Operator`] is the hand that tests and
//! simulated actors (kubelets, schedulers) work with: it passes no gate. Every write is kept in the history.
//!
//! It is held against a real API server by `tests/differential`, which sends both the same requests. These differences remain:
//!
//! - No schemas: nothing is pruned, defaulted or validated but metadata, types and names. Of built-in kinds only what controllers look at
//!   is set at creation (a pod is `Pending`, a Secret `Opaque`).
//! - No managed fields. Server-side apply is refused (415), and an update that would change nothing but who owns a field is no write; to
//!   the real server it is one.
//! - No admission and no other controllers: any namespace exists, any service account, nobody adds protection finalizers or taints,
//!   dependents are not collected (but `orphan` and `foregroundDeletion` are set when asked for), Events don't expire.
//! - A disruption budget has no status at creation; as long as nobody writes one, an eviction counts the ready pods that are there. With
//!   a status, it decides, as in a real cluster.
//! - Strategic merge patches know the lists of metadata, nodes and pods that are patched by somebody; other lists are replaced.
//! - The two groups that serve Events keep their own.
//! - Whoever asks is allowed to.
//!
//! All of it can run under `tokio::time::pause()`. Names, UIDs and resource versions come from counters, so that two runs are equal.

mod clock;
mod gate;
mod history;
mod http;
mod kind;
mod kinds;
mod object;
mod operator;
mod refusal;
mod request_info;
mod selector;
mod simkube;
mod store;
mod verb;
mod verdict;
mod watch;
mod write;

pub use self::{
    gate::Gate,
    history::Subscription,
    operator::Operator,
    refusal::Refusal,
    request_info::RequestInfo,
    simkube::SimKube,
    verb::Verb,
    verdict::Verdict,
    watch::{WatchFault, Watches},
    write::Write,
};
