//! What the clouds share that are called by HTTP: connections, a budget of calls, answers, error classes.
//!
//! [`CloudAccess`] is what a process lends every provider. A [`Caller`] makes the calls of one operation: each waits for
//! its turn in the [`Budget`] of its credential, is sent with what is left of the deadline, and is counted. What an answer
//! means is said by the provider's [`ErrorTable`]; what is asked is the provider's own business. A [`SharedList`] lets many
//! machines that wait for the same cloud be answered by one list.
//!
//! The AWS SDK brings its own HTTP; of this crate it uses budget, journal ([`Caller::turn`]) and tables.

mod access;
mod answer;
mod budget;
mod call_failure;
mod caller;
mod cloud_error;
mod endpoints;
mod error_table;
mod http_client;
mod journal;
mod open_call;
mod pages;
mod redaction;
mod retry_after;
mod shared_list;
mod transport;

pub use access::CloudAccess;
pub use answer::Answer;
pub use budget::{Budget, BudgetKey, Budgets, NoTurn, Rate, Turn, Urgency};
pub use call_failure::CallFailure;
pub use caller::Caller;
pub use cloud_error::CloudError;
pub use endpoints::{Endpoint, EndpointError, Endpoints};
pub use error_table::{ErrorRow, ErrorTable, Where};
pub use http_client::{HttpClient, NoHttpClient, TlsSettings};
pub use journal::{CallJournal, Called, NoJournal};
pub use open_call::OpenCall;
pub use pages::{Pages, SamePageTwice};
pub use redaction::Redaction;
pub use retry_after::retry_after;
pub use shared_list::SharedList;
pub use transport::{Transport, TransportError};
