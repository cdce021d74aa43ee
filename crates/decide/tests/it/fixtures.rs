//! Objects and views for tests, each built in one line and changed by field.

pub(crate) mod deployment;
pub(crate) mod machine;
pub(crate) mod names;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod set;
pub(crate) mod set_world;
pub(crate) mod situation;
pub(crate) mod time;
