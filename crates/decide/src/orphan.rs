//! Decides which VMs (and what VMs left behind) nobody owns any more.
//!
//! A wrong answer deletes somebody's node, so a candidate needs two independent reads: the index here,
//! and a live look at the API server before the deletion, which the executor makes.

mod claims;
mod node;

use std::time::Duration;

use jiff::Timestamp;
use millwright_provider::Listed;

pub use claims::Claims;
pub use node::{NodeOwners, NodeVerdict, judge_node};

use crate::elapsed::elapsed;

/// Whether a thing in the cloud is to be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A machine owns it, or may.
    Owned,
    /// Too young to judge: its machine may not be visible yet.
    TooYoung,
    /// Nobody owns it: confirm with a live read, then delete it.
    Orphan,
}

/// Judges one entry of a provider's list. `first_seen` is when this process saw it first, which
/// stands in for the age when the cloud does not say.
#[must_use]
pub fn judge<C: Fn(&str) -> Option<String>>(
    listed: &Listed,
    claims: &Claims<C>,
    first_seen: Timestamp,
    grace: Duration,
    now: Timestamp,
) -> Verdict {
    if claims.cover(listed) {
        return Verdict::Owned;
    }
    let age = elapsed(listed.created_at.unwrap_or(first_seen), now);
    if age < grace { Verdict::TooYoung } else { Verdict::Orphan }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_api::Machine;
    use millwright_provider::ListedKind;

    const GRACE: Duration = Duration::from_secs(60);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    /// The verdict on a VM of machine `m` beside a machine of that name, if any.
    fn judged(machine: Option<&str>, created_at: Option<i64>, first_seen: i64, now: i64) -> Verdict {
        let machine = machine.map(|id| {
            let mut machine = Machine::default();
            machine.metadata.name = Some("m".into());
            machine.spec.provider_id = id.into();
            machine
        });
        let vm = Listed {
            id: "local:///a/i-1".into(),
            machine_name: "m".into(),
            machine_uid: None,
            created_at: created_at.map(at),
            kind: ListedKind::Vm,
        };
        let claims = Claims::of(&machine, |id: &str| Some(id.to_owned()));
        judge(&vm, &claims, at(first_seen), GRACE, at(now))
    }

    #[test]
    fn a_vm_is_an_orphan_only_when_no_machine_can_own_it_and_it_is_old_enough() {
        for (machine, age, want) in [
            (None, 10, Verdict::TooYoung),
            (None, 60, Verdict::Orphan),
            (Some(""), 600, Verdict::Owned),
            (Some("local:///a/i-1"), 600, Verdict::Owned),
            (Some("local:///a/i-2"), 600, Verdict::Orphan),
        ] {
            assert_eq!(judged(machine, Some(0), 0, age), want, "{machine:?} after {age} s");
        }
    }

    #[test]
    fn a_cloud_without_creation_times_counts_from_the_first_sight() {
        assert_eq!(judged(None, None, 100, 130), Verdict::TooYoung);
        assert_eq!(judged(None, None, 100, 160), Verdict::Orphan);
    }
}
