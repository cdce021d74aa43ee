//! An order: a creation or deletion that was accepted, and goes on after its call was answered.

use serde::{Deserialize, Serialize};

use crate::refusal::Code;

/// What `GET /v1/orders/{id}` shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// `ord-` and hexadecimal digits.
    pub id: String,
    /// What is to be done.
    pub kind: OrderKind,
    /// The VM that it is about.
    pub vm: String,
    /// How far it is.
    #[serde(flatten)]
    pub state: OrderState,
}

/// What an order is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OrderKind {
    /// The VM exists, and gets power at the end. It goes again when the order fails.
    Creation,
    /// The VM goes at the end. It stays when the order fails.
    Deletion,
}

/// How far an order is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum OrderState {
    /// It goes on.
    Running,
    /// It was done.
    Done,
    /// It came to nothing.
    Failed {
        /// What kind of failure it is.
        code: Code,
        /// What is wrong.
        message: String,
    },
}
