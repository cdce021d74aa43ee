//! Kubermatic's words for a spec (`cloudProvider: gce`), and what it asks of them.
//!
//! What is read here has no references and no secrets in it any more; see `millwright_provider::kubermatic`.

#[cfg(feature = "client")]
mod callers_account;
mod decode;
mod images;
mod owner;
mod rules;
mod vocabulary;

#[cfg(feature = "client")]
pub(crate) use callers_account::name_caller;
pub(crate) use decode::decode;
pub(crate) use owner::scope;
pub(crate) use rules::{DISK, FORM, IMAGE, LABELS, NETWORK, PLACE, SCHEDULING, validate};
pub(crate) use vocabulary::VOCABULARY;

#[cfg(test)]
mod tests;
