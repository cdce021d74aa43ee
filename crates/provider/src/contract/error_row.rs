//! A row of a provider's table from its cloud's errors to machine codes.

use std::fmt;

use millwright_api::MachineCode;

/// One error of the cloud, and what must become of it.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// The cloud's name for it.
    pub name: &'static str,
    /// The operation in which it is brought about.
    pub operation: Operation,
    /// The code that the provider must make of it.
    pub code: MachineCode,
}

/// The calls of a provider that ask its cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `create`, of a machine that has no VM.
    Create,
    /// `status`, of a machine that has a VM and knows its id.
    Status,
    /// `delete`, of a machine that has a VM and knows its id.
    Delete,
    /// `list`.
    List,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Create, Self::Status, Self::Delete, Self::List];
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Status => "status",
            Self::Delete => "delete",
            Self::List => "list",
        })
    }
}
