//! What a scripted cloud does to a call instead of answering it well.

use std::time::Duration;

use millwright_api::MachineCode;

/// A misfortune that waits for its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which calls it counts.
    pub call: Call,
    /// Which of those it strikes.
    pub when: When,
    /// What happens then.
    pub effect: Effect,
}

/// Calls by what they do to VMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Any call at all.
    Any,
    /// The call that creates a VM.
    CreateVm,
}

/// Which of the counted calls are struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The n-th from now on, counted from 1, and no other.
    Nth(usize),
    /// Every one.
    Always,
}

/// What happens to a struck call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is refused and changes nothing.
    Refuse(Refusal),
    /// It has its effect, and the answer never arrives.
    LoseReply,
    /// It has no effect, and no answer ever comes.
    Hang,
}

/// How a cloud refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Who is that? (HTTP 401)
    Unauthenticated,
    /// You may not. (HTTP 403)
    Forbidden,
    /// Too many calls (HTTP 429); come again after this time, where the cloud can say so.
    Throttled(Duration),
    /// The cloud is broken. (HTTP 500)
    InternalError,
    /// The cloud is down. (HTTP 503)
    Down,
}

impl Refusal {
    /// One of each kind.
    pub const ALL: [Self; 5] = [
        Self::Unauthenticated,
        Self::Forbidden,
        Self::Throttled(Duration::from_secs(2)),
        Self::InternalError,
        Self::Down,
    ];

    /// The HTTP status that says it.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::Throttled(_) => 429,
            Self::InternalError => 500,
            Self::Down => 503,
        }
    }

    /// The code that a provider must make of it.
    #[must_use]
    pub const fn code(self) -> MachineCode {
        match self {
            Self::Unauthenticated => MachineCode::Unauthenticated,
            Self::Forbidden => MachineCode::PermissionDenied,
            Self::Throttled(_) | Self::InternalError | Self::Down => MachineCode::Unavailable,
        }
    }
}
