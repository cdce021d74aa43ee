//! Whether this process may act, for those who act.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

/// What a candidate has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Not the Lease: not yet, or no more since it was released.
    Waiting,
    /// The Lease.
    Held,
    /// It had the Lease and could not keep it. It is never tried again: the process must end, because
    /// what it knows may be old.
    Lost,
}

/// A view of the claim. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Leadership {
    claim: watch::Receiver<Claim>,
    valid_until: Arc<Mutex<Instant>>,
    lease: Option<Arc<str>>,
}

pub(super) struct ClaimSender {
    claim: watch::Sender<Claim>,
    valid_until: Arc<Mutex<Instant>>,
}

pub(super) fn channel(lease: &str) -> (ClaimSender, Leadership) {
    let (sender, claim) = watch::channel(Claim::Waiting);
    let valid_until = Arc::new(Mutex::new(Instant::now()));
    let lease = Some(Arc::from(lease));
    (
        ClaimSender { claim: sender, valid_until: valid_until.clone() },
        Leadership { claim, valid_until, lease },
    )
}

impl ClaimSender {
    pub(super) fn send(&self, claim: Claim) {
        self.claim.send_replace(claim);
    }

    pub(super) fn extend(&self, until: Instant) {
        *self.valid_until.lock() = until;
    }
}

impl Leadership {
    /// The claim of a process that needs no election (`--leader-elect=false`): held for ever.
    #[must_use]
    pub fn undisputed() -> Self {
        let (_, claim) = watch::channel(Claim::Held);
        // 30 years; tokio's clock can't name the end of time.
        let for_ever = Instant::now() + std::time::Duration::from_secs(30 * 365 * 86_400);
        Self { claim, valid_until: Arc::new(Mutex::new(for_ever)), lease: None }
    }

    /// A claim to a Lease that is held for ever.
    #[cfg(test)]
    pub(crate) fn held(lease: &str) -> Self {
        Self { lease: Some(Arc::from(lease)), ..Self::undisputed() }
    }

    /// A claim that is held, but whose renewal is late.
    #[cfg(test)]
    pub(crate) fn expired() -> Self {
        let (_, claim) = watch::channel(Claim::Held);
        Self { claim, valid_until: Arc::new(Mutex::new(Instant::now())), lease: None }
    }

    /// Name of the Lease; `None` where there is no election.
    #[must_use]
    pub fn lease(&self) -> Option<&str> {
        self.lease.as_deref()
    }

    /// We may write now. Asked before every single write. Looks at the clock too: a process that was
    /// stopped for a while must not write before it has noticed that its lease is over.
    #[must_use]
    pub fn may_write(&self) -> bool {
        *self.claim.borrow() == Claim::Held && Instant::now() < *self.valid_until.lock()
    }

    /// The claim, to be waited on.
    #[must_use]
    pub fn claim(&self) -> watch::Receiver<Claim> {
        self.claim.clone()
    }

    /// Waits until the Lease is held. `false` when it never will be.
    pub async fn acquired(&self) -> bool {
        let mut claim = self.claim.clone();
        claim.wait_for(|claim| *claim != Claim::Waiting).await.is_ok_and(|claim| *claim == Claim::Held)
    }

    /// Waits until the Lease is lost; for ever when it never is.
    pub async fn lost(&self) {
        let mut claim = self.claim.clone();
        if claim.wait_for(|claim| *claim == Claim::Lost).await.is_err() {
            // The election has ended in good order, so there is nothing left to lose.
            std::future::pending::<()>().await;
        }
    }
}
