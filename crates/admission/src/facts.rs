//! What is known of the other objects of a request's namespace. Looked up by the caller, who may know nothing; what is not known
//! never refuses anything, because it may be the next document of the same file.

use std::sync::Arc;

use millwright_api::{Machine, MachineClass, MachineDeployment, MachineSet, NodeView};

use crate::Kind;

/// Something that may not have been looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Known<T> {
    /// Nobody looked.
    #[default]
    No,
    /// This is it.
    Yes(T),
}

/// The other objects of a namespace. Every look is short and waits for nothing.
pub trait Facts {
    /// Names of all MachineClasses, in order.
    fn classes(&self) -> Known<Vec<String>> {
        Known::No
    }

    /// The MachineClass of that name.
    fn class(&self, _name: &str) -> Known<Option<Arc<MachineClass>>> {
        Known::No
    }

    /// Who names the MachineClass: deployments and sets in their templates, machines in their specs.
    fn class_users(&self, _class: &str) -> Known<Vec<ClassUser>> {
        Known::No
    }

    /// The Secret of that name, without its values.
    fn secret(&self, _name: &str) -> Known<Option<SecretFact>> {
        Known::No
    }

    /// What stands around a MachineDeployment.
    fn surroundings(&self, _deployment: &MachineDeployment) -> Known<Surroundings> {
        Known::No
    }
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFacts;

impl Facts for NoFacts {}

/// An object that names a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassUser {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Whether it is on its way out.
    pub standing: Standing,
}

/// Whether an object is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It stays.
    There,
    /// It has a deletion time-stamp.
    Deleting,
}

/// What may be known of a Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFact {
    /// Keys that have a value that is not empty.
    pub keys: Arc<std::collections::BTreeSet<String>>,
}

/// The objects around a MachineDeployment that a rollout touches.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Its sets, and sets that nobody owns.
    pub sets: Vec<Arc<MachineSet>>,
    /// The machines of those, and machines that nobody owns.
    pub machines: Vec<Arc<Machine>>,
    /// Their nodes, where they are known.
    pub nodes: Vec<Arc<NodeView>>,
}
