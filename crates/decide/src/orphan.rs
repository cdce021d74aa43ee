//! Decides which VMs (and what VMs left behind) nobody owns any more.
//!
//! A wrong answer deletes somebody's node, so a candidate needs two independent reads: the index here,
//! and a live look at the API server before the deletion, which the executor makes.

mod node;

use std::time::Duration;

use jiff::Timestamp;
use millwright_provider::Listed;

pub use node::{NodeOwners, NodeVerdict, judge_node};

use crate::elapsed::elapsed;

/// What the index knows of the machine that a listed thing names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerKnowledge {
    /// There is no such machine.
    Absent,
    /// It exists and has no provider id yet: the VM may be its own, just made.
    BeingBorn,
    /// It exists with this provider id.
    Born {
        /// Its `spec.providerID`.
        provider_id: String,
    },
}

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
pub fn judge(
    listed: &Listed,
    owner: &OwnerKnowledge,
    first_seen: Timestamp,
    grace: Duration,
    now: Timestamp,
) -> Verdict {
    let owned = match owner {
        OwnerKnowledge::Absent => false,
        OwnerKnowledge::BeingBorn => true,
        OwnerKnowledge::Born { provider_id } => {
            matches!(listed.kind, millwright_provider::ListedKind::Leftover(_)) || *provider_id == listed.id
        }
    };
    if owned {
        return Verdict::Owned;
    }
    let age = elapsed(listed.created_at.unwrap_or(first_seen), now);
    if age < grace { Verdict::TooYoung } else { Verdict::Orphan }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_provider::{LeftoverKind, ListedKind};

    const GRACE: Duration = Duration::from_secs(60);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn vm(created_at: Option<Timestamp>) -> Listed {
        Listed {
            id: "local:///a/i-1".into(),
            machine_name: "m".into(),
            machine_uid: None,
            created_at,
            kind: ListedKind::Vm,
        }
    }

    #[test]
    fn a_vm_is_an_orphan_only_when_no_machine_can_own_it_and_it_is_old_enough() {
        let born = |id: &str| OwnerKnowledge::Born { provider_id: id.into() };
        for (owner, age, want) in [
            (OwnerKnowledge::Absent, 10, Verdict::TooYoung),
            (OwnerKnowledge::Absent, 60, Verdict::Orphan),
            (OwnerKnowledge::BeingBorn, 600, Verdict::Owned),
            (born("local:///a/i-1"), 600, Verdict::Owned),
            (born("local:///a/i-2"), 600, Verdict::Orphan),
        ] {
            assert_eq!(
                judge(&vm(Some(at(0))), &owner, at(0), GRACE, at(age)),
                want,
                "{owner:?} after {age} s"
            );
        }
    }

    #[test]
    fn a_cloud_without_creation_times_counts_from_the_first_sight() {
        assert_eq!(judge(&vm(None), &OwnerKnowledge::Absent, at(100), GRACE, at(130)), Verdict::TooYoung);
        assert_eq!(judge(&vm(None), &OwnerKnowledge::Absent, at(100), GRACE, at(160)), Verdict::Orphan);
    }

    #[test]
    fn a_part_of_a_living_machine_is_never_a_leftover() {
        let nic =
            Listed { kind: ListedKind::Leftover(LeftoverKind::Nic), id: "nic-1".into(), ..vm(Some(at(0))) };
        let born = OwnerKnowledge::Born { provider_id: "local:///a/i-1".into() };
        assert_eq!(judge(&nic, &born, at(0), GRACE, at(600)), Verdict::Owned);
        assert_eq!(judge(&nic, &OwnerKnowledge::Absent, at(0), GRACE, at(600)), Verdict::Orphan);
    }
}
