//! Whose a VM or a part is, by its tags.

use aws_sdk_ec2::types::{Instance, Tag};
use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::home::Belonging;
use crate::tag_keys::{NAME, UID};
use crate::vm::{self, has_tag, tag};

/// Whether it carries our cluster's and role's tag.
pub(crate) fn in_scope(tags: &[Tag], scope: &Scope) -> bool {
    has_tag(tags, &scope.cluster) && has_tag(tags, &scope.role)
}

/// The UID for which it was made. An empty one is none.
pub(crate) fn uid(tags: &[Tag]) -> Option<&str> {
    tag(tags, UID).filter(|uid| !uid.is_empty())
}

/// Whether it was made for that machine: by UID if both are known, else by name.
pub(crate) fn fits(tags: &[Tag], machine: &MachineView) -> bool {
    match (uid(tags), &machine.uid) {
        (Some(tagged), Some(uid)) => tagged == uid,
        (None, _) | (_, None) => tag(tags, NAME) == Some(machine.name.as_str()) && !machine.name.is_empty(),
    }
}

/// Refuses a VM that a provider id names but that is not this machine's.
pub(crate) fn must_be_ours(
    instance: &Instance,
    machine: &MachineView,
    scope: &Scope,
    belonging: Belonging,
) -> Result<(), ProviderError> {
    let refuse = |reason: String| Err(ProviderError::new(MachineCode::FailedPrecondition, reason));
    let (tags, id) = (instance.tags(), vm::id(instance));
    let is_by_uid = machine.uid.is_some() && uid(tags) == machine.uid.as_deref();
    if !(in_scope(tags, scope) || belonging == Belonging::ScopeOrUid && is_by_uid) {
        let Scope { cluster, role, location: _ } = scope;
        return refuse(format!(
            "AWS: VM {id} lacks tag {cluster} or {role}: it belongs to somebody else and stays"
        ));
    }
    let name = tag(tags, NAME).unwrap_or_default();
    if !is_by_uid && name != machine.name {
        return refuse(format!("AWS: VM {id} is called {name:?}, the machine {:?}: it stays", machine.name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> Vec<Tag> {
        pairs.iter().map(|(key, value)| Tag::builder().key(*key).value(*value).build()).collect()
    }

    #[test]
    fn an_empty_uid_makes_no_vm_somebody_elses() {
        let machine = MachineView { name: "w-1".into(), uid: Some("u-1".into()), ..MachineView::default() };
        let known = |tagged: &str, name: &str| fits(&tags(&[(UID, tagged), (NAME, name)]), &machine);
        assert!(known("", "w-1") && known("u-1", "renamed"));
        assert!(!known("", "w-2") && !known("u-2", "w-1"));
    }
}
