//! Emptying a node: which pods go when, how their volumes are waited for, what is said, and how it ends.

mod blindness;
mod desk;
mod forced;
mod order;
mod pace;
mod script;
mod slots;
mod text;
mod volumes;
