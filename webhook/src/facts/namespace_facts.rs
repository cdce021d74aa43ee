//! What is known while one request is judged: the objects of its namespace.

use std::sync::Arc;

use millwright_admission::{ClassUser, Facts, Kind, Known, SecretFact, Standing, Surroundings};
use millwright_api::{MachineClass, MachineDeployment, ObjectView};
use millwright_cluster::index::Index;

use super::{Watched, WatchedKind, standing};

/// The facts of one namespace.
pub(crate) struct NamespaceFacts<'a> {
    /// None where nothing is watched there.
    watched: Option<&'a Watched>,
    namespace: &'a str,
}

impl<'a> NamespaceFacts<'a> {
    /// What `watched` has of a namespace.
    pub(super) fn of(watched: Option<&'a Watched>, namespace: &'a str) -> Self {
        Self { watched: watched.filter(|watched| watched.scope().holds(namespace)), namespace }
    }

    /// Looks when all of these kinds are known.
    fn look<R>(&self, kinds: &[WatchedKind], read: impl FnOnce(&Index) -> R) -> Known<R> {
        match self.watched {
            Some(watched) if kinds.iter().all(|kind| watched.knows(*kind)) => {
                Known::Yes(watched.look(self.namespace, read))
            }
            _ => Known::No,
        }
    }
}

impl Facts for NamespaceFacts<'_> {
    fn classes(&self) -> Known<Vec<String>> {
        self.look(&[WatchedKind::Class], |index| {
            let mut names: Vec<String> = index.classes().map(|class| class.name().to_owned()).collect();
            names.sort_unstable();
            names
        })
    }

    fn class(&self, name: &str) -> Known<Option<Arc<MachineClass>>> {
        self.look(&[WatchedKind::Class], |index| index.class(name).cloned())
    }

    fn class_users(&self, class: &str) -> Known<Vec<ClassUser>> {
        let kinds = [WatchedKind::Deployment, WatchedKind::Set, WatchedKind::Machine];
        self.look(&kinds, |index| {
            let deployments = index.deployments_naming_class(class);
            let deployments =
                deployments.map(|object| user(Kind::MachineDeployment, &**object, standing::of(&**object)));
            // A set that wants no machines is history: it uses the class only when somebody goes back to it.
            let sets = index.sets_naming_class(class).filter(|set| set.spec.replicas > 0);
            let sets = sets.map(|set| user(Kind::MachineSet, &**set, standing::of_set(set, index)));
            let machines = index
                .machines_naming_class(class)
                .map(|machine| user(Kind::Machine, &**machine, standing::of_machine(machine, index)));
            deployments.chain(sets).chain(machines).collect()
        })
    }

    fn secret(&self, name: &str) -> Known<Option<SecretFact>> {
        match self.watched {
            Some(watched) if watched.knows(WatchedKind::Secret) => {
                Known::Yes(watched.secret(self.namespace, name).map(|keys| SecretFact { keys }))
            }
            _ => Known::No,
        }
    }

    fn surroundings(&self, deployment: &MachineDeployment) -> Known<Surroundings> {
        self.look(&[WatchedKind::Set, WatchedKind::Machine], |index| {
            let sets: Vec<_> = index.sets_for_deployment(deployment.uid()).cloned().collect();
            let owned = sets.iter().flat_map(|set| index.machines_of_set(set.uid()));
            let machines = owned.chain(index.machines_without_set()).cloned().collect();
            Surroundings { sets, machines, nodes: Vec::new() }
        })
    }
}

fn user(kind: Kind, object: &impl ObjectView, standing: Standing) -> ClassUser {
    ClassUser { kind, name: object.name().to_owned(), standing }
}
