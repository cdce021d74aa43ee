//! What is sent to Azure, and what becomes of its answers, over a script in place of a network.

#![allow(clippy::unwrap_used, reason = "test code")]

mod account;
mod birth;
mod death;
mod looking_up;
mod script;
