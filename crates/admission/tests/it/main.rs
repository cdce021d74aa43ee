//! The rules of admission as tables: an object in, every field error out.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails here")]

mod ask;
mod cloud_rules;
mod defaults;
mod garbage;
mod machine;
mod machine_class;
mod machine_deployment;
mod machine_set;
mod objects;
mod preview;
mod ratchet;
