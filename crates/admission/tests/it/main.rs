//! The rules of admission as tables: an object in, every field error out.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails here")]

mod ask;
mod class_changes;
mod cloud_rules;
mod defaults;
mod every_rule;
mod garbage;
mod gardener;
mod key_spelling;
mod left_out;
mod machine;
mod machine_class;
mod machine_deployment;
mod machine_set;
mod neighbours;
mod objects;
mod other_rules;
mod preview;
mod ratchet;
