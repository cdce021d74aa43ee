//! Whose a listed thing is, as far as a machine of that name tells.

use millwright_api::{Machine, ObjectView};
use millwright_decide::orphan::OwnerKnowledge;
use millwright_provider::{Listed, ListedKind, Provider};

pub(super) fn owner_of(machine: Option<&Machine>, entry: &Listed, provider: &dyn Provider) -> OwnerKnowledge {
    let Some(machine) = machine else { return OwnerKnowledge::Absent };
    let id = &machine.spec.provider_id;
    // A part is looked for by its machine's name, so a namesake's would be found too.
    let is_part = matches!(entry.kind, ListedKind::Leftover(_));
    let is_namesake = entry.machine_uid.as_deref().is_some_and(|uid| uid != machine.uid());
    if id.is_empty() {
        // A namesake with another UID is another machine; this one is gone.
        return if is_namesake && !is_part { OwnerKnowledge::Absent } else { OwnerKnowledge::BeingBorn };
    }
    // By its id a machine owns its VM whatever its own UID is: one that was restored from a backup, or moved to
    // another cluster, has a new one. Another controller may have spelt the id in another way.
    match (provider.canonical_id(id), provider.canonical_id(&entry.id)) {
        (Ok(id), Ok(listed)) if id == listed => OwnerKnowledge::Born { provider_id: entry.id.clone() },
        (Ok(_), _) => OwnerKnowledge::Born { provider_id: id.clone() },
        // An id that can't be read may be anybody's.
        (Err(_), _) => OwnerKnowledge::BeingBorn,
    }
}
