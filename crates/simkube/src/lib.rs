//! An in-process Kubernetes API for deterministic tests: no sockets, no real time, no randomness.
//!
//! [`SimKube`] hands out clients that speak to it as to an API server, one for each actor. A [`Gate`] sees every request and may
//! refuse, lose, delay or hang it; [`WatchFault`]s drop, merge and delay watch events. [`Operator`] is the hand that tests and
//! simulated actors (kubelets, schedulers) work with: it passes no gate. Every write is kept in the history.
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
