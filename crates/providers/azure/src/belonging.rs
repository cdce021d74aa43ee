//! Whose a VM, network interface or disk is, by its tags. Azure makes no difference between cases in a tag's key.

use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::errors::CLOUD;
use crate::scope::UID_TAG;
use crate::wire::Tags;

/// What decides whose something is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) machine: &'a MachineView,
    pub(crate) by: Belonging,
}

/// What makes a VM a machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belonging {
    /// The tags of cluster and role.
    Scope,
    /// Those, or the machine's UID alone: VMs that were made before they had a scope.
    ScopeOrUid,
}

impl Owner<'_> {
    /// Whether it is of the machine's cluster and role, or bears its UID where that is enough.
    pub(crate) fn owns(&self, tags: &Tags) -> bool {
        in_scope(tags, self.scope) || self.by == Belonging::ScopeOrUid && self.bears_uid(tags)
    }

    /// Whether it can be that machine's: made for its UID, or one of the two UIDs is not known.
    pub(crate) fn fits(&self, tags: &Tags) -> bool {
        match (uid(tags), &self.machine.uid) {
            (Some(tagged), Some(uid)) => tagged == uid,
            (None, _) | (_, None) => true,
        }
    }

    /// Whether it was made for the machine's UID.
    pub(crate) fn bears_uid(&self, tags: &Tags) -> bool {
        self.machine.uid.as_deref().is_some_and(|wanted| uid(tags) == Some(wanted))
    }

    /// Refuses a VM that a provider id names but that is not this machine's.
    pub(crate) fn must_own(&self, vm: &str, tags: &Tags) -> Result<(), ProviderError> {
        let refuse = |reason: String| Err(ProviderError::new(MachineCode::FailedPrecondition, reason));
        if !self.owns(tags) {
            let Scope { cluster, role, location: _ } = self.scope;
            return refuse(format!(
                "{CLOUD}: VM {vm} lacks tag {cluster} or {role}: it belongs to somebody else and stays"
            ));
        }
        if !vm.eq_ignore_ascii_case(&self.machine.name) {
            return refuse(format!(
                "{CLOUD}: VM {vm} does not bear the name of machine {}: it stays",
                self.machine.name
            ));
        }
        Ok(())
    }
}

/// Whether it carries our cluster's and role's tag.
pub(crate) fn in_scope(tags: &Tags, scope: &Scope) -> bool {
    [&scope.cluster, &scope.role].iter().all(|wanted| tags.keys().any(|key| key.eq_ignore_ascii_case(wanted)))
}

/// The UID for which it was made.
pub(crate) fn uid(tags: &Tags) -> Option<&str> {
    let tag = tags.iter().find(|(key, _)| key.eq_ignore_ascii_case(UID_TAG));
    tag.map(|(_, uid)| uid.as_str()).filter(|uid| !uid.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> Tags {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_cluster_whose_name_begins_alike_is_another() {
        let scope = Scope {
            cluster: "kubernetes.io-cluster-foo".into(),
            role: "kubernetes.io-role-node".into(),
            location: String::new(),
        };
        assert!(in_scope(
            &tags(&[("Kubernetes.io-cluster-FOO", ""), ("kubernetes.io-role-node", "1")]),
            &scope
        ));
        for other in [
            tags(&[("kubernetes.io-cluster-foo-bar", "1"), ("kubernetes.io-role-node", "1")]),
            tags(&[("kubernetes.io-cluster-fo", "1"), ("kubernetes.io-role-node", "1")]),
            tags(&[("kubernetes.io-cluster-foo", "1"), ("kubernetes.io-role-master", "1")]),
            tags(&[("kubernetes.io-cluster-foo", "1")]),
        ] {
            assert!(!in_scope(&other, &scope), "{other:?}");
        }
    }

    #[test]
    fn a_uid_alone_is_enough_only_where_it_is_said_to_be() {
        let scope = Scope { cluster: "c".into(), role: "r".into(), location: String::new() };
        let machine = MachineView { uid: Some("u-1".into()), ..MachineView::default() };
        let owner = |by| Owner { scope: &scope, machine: &machine, by };
        let tagged = tags(&[("machine-uid", "u-1")]);
        assert!(owner(Belonging::ScopeOrUid).owns(&tagged) && !owner(Belonging::Scope).owns(&tagged));
        assert!(!owner(Belonging::ScopeOrUid).owns(&tags(&[("Machine-UID", "u-2")])));
    }

    #[test]
    fn an_empty_uid_makes_no_vm_somebody_elses() {
        let scope = Scope { cluster: "c".into(), role: "r".into(), location: String::new() };
        let machine = MachineView { uid: Some("u-1".into()), ..MachineView::default() };
        let owner = Owner { scope: &scope, machine: &machine, by: Belonging::Scope };
        let judge = |uid| owner.fits(&tags(&[("machine-uid", uid)]));
        assert!(judge("") && judge("u-1") && !judge("u-2"));
    }
}
