//! Which attempt of a creation is under way. Each has a token of its own, by which EC2 makes at most one VM.
//!
//! A new attempt begins only when the last one can have no VM: what it made has ended, or its token was for another class and no VM
//! of the machine is to be seen for a while.

use millwright_provider::{MachineView, ProviderState};
use serde::{Deserialize, Serialize};

/// After so many looks a VM that a token stands for is believed not to be there. They are seconds apart.
const LOOKS: u8 = 6;

/// What is remembered between calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Attempt {
    /// Counted from 0.
    #[serde(rename = "attempt")]
    number: u32,
    /// How often no VM of this attempt was to be seen.
    unseen: u8,
    /// The VM that was made but that has no name yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instance: Option<String>,
}

impl Attempt {
    /// What a machine remembers; the first attempt when it remembers nothing, or nothing that can be read.
    pub(crate) fn of(machine: &MachineView) -> Self {
        let state = machine.state.as_ref().and_then(|state| serde_json::from_str(state.as_str()).ok());
        state.unwrap_or_default()
    }

    /// To be remembered; nothing of a first attempt that has nothing to tell.
    pub(crate) fn state(&self) -> Option<ProviderState> {
        if *self == Self::default() {
            return None;
        }
        ProviderState::new(serde_json::to_string(self).ok()?).ok()
    }

    /// The token of this attempt.
    pub(crate) fn token(&self, uid: &str) -> String {
        format!("{uid}-{}", self.number)
    }

    /// The next one: what this one made has ended.
    pub(crate) fn next(&self) -> Self {
        Self { number: self.number.saturating_add(1), unseen: 0, instance: None }
    }

    /// Whether the VM of this attempt must be among so many of the machine's that have ended: each attempt before it made one at most,
    /// whose end says nothing of a VM that is not to be seen yet.
    pub(crate) fn is_over(&self, ended: usize) -> bool {
        u32::try_from(ended).is_ok_and(|ended| ended > self.number)
    }

    /// Nothing of this attempt is to be seen, though its token is taken.
    pub(crate) fn unseen(&self) -> Self {
        let unseen = self.unseen.saturating_add(1);
        if unseen >= LOOKS { self.next() } else { Self { unseen, ..self.clone() } }
    }

    /// A VM was made that is not complete yet; after too many looks it never will be.
    pub(crate) fn waits_for(&self, instance: &str) -> Option<Self> {
        let unseen = self.unseen.saturating_add(1);
        (unseen < LOOKS).then(|| Self { unseen, instance: Some(instance.to_owned()), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attempt_has_a_token_of_its_own_that_stays() {
        let uid = "00000000-0000-4000-8000-000000000001";
        let first = Attempt::default();
        assert_eq!(first.state(), None);
        assert_eq!(first.token(uid), format!("{uid}-0"));
        assert_eq!(first.next().token(uid), format!("{uid}-1"));
        assert!(first.next().token(uid).len() <= 64, "EC2 takes 64 characters");
        let machine = MachineView { state: first.next().state(), ..MachineView::default() };
        assert_eq!(Attempt::of(&machine), first.next());
    }

    #[test]
    fn a_taken_token_is_given_up_only_after_several_looks() {
        let mut attempt = Attempt::default();
        for _ in 1..LOOKS {
            attempt = attempt.unseen();
            assert_eq!(attempt.token("u"), "u-0");
        }
        assert_eq!(attempt.unseen().token("u"), "u-1");
    }

    #[test]
    fn the_end_of_an_earlier_attempts_vm_is_not_that_of_this_ones() {
        let first = Attempt::default();
        assert!(!first.is_over(0) && first.is_over(1));
        assert!(!first.next().is_over(1), "the one that ended was the first attempt's");
        assert!(first.next().is_over(2));
    }

    #[test]
    fn a_state_that_somebody_wrote_by_hand_ends_no_process() {
        let state = ProviderState::new(r#"{"attempt":4294967295,"unseen":255,"instance":"i-1"}"#).ok();
        let planted = Attempt::of(&MachineView { state, ..MachineView::default() });
        assert_eq!(planted.waits_for("i-1"), None);
        assert_eq!(planted.unseen().instance, None);
    }

    #[test]
    fn a_state_that_cannot_be_read_begins_anew() {
        let state = ProviderState::new("{\"v\":").ok();
        assert_eq!(Attempt::of(&MachineView { state, ..MachineView::default() }), Attempt::default());
    }
}
