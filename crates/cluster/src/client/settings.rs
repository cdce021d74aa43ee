//! What may be set about a client.

use std::time::Duration;

use super::Fence;

/// How a client behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientSettings {
    /// How many requests it may send.
    pub rate: RequestRate,
    /// How long an answer may take, from sending to its last byte; of a watch to its first.
    pub request_timeout: Duration,
    /// How long the connection and its TLS hand-shake may take.
    pub connect_timeout: Duration,
    /// What it calls itself.
    pub user_agent: String,
    /// Whether writes may still leave.
    pub fence: Fence,
}

/// A bound on requests. A watch counts once, when it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RequestRate {
    /// On average `qps` each second (`--kube-api-qps`), at most `burst` at once (`--kube-api-burst`).
    Limited {
        /// Requests each second; must be above 0.
        qps: f32,
        /// Requests that may go without waiting after a pause; 0 counts as 1.
        burst: u32,
    },
    /// No bound.
    Unlimited,
}

impl ClientSettings {
    /// Settings with the flags' defaults.
    #[must_use]
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            rate: RequestRate::Limited { qps: 20.0, burst: 30 },
            request_timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            user_agent: user_agent.into(),
            fence: Fence::default(),
        }
    }

    /// Settings for the leader's Lease: a renewal must not wait behind other requests, and one that
    /// hangs must leave time for another before the deadline.
    #[must_use]
    pub fn for_lease(user_agent: impl Into<String>) -> Self {
        Self {
            rate: RequestRate::Unlimited,
            request_timeout: Duration::from_secs(5),
            ..Self::new(user_agent)
        }
    }
}
