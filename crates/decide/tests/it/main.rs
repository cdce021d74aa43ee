//! Decisions as their callers see them: a view in, a plan out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can not go on fails here")]

mod fixtures;

mod fleet_bound;
mod fleet_work;
mod freeze;
mod machine_accepted;
mod machine_additions;
mod machine_birth;
mod machine_death;
mod machine_deletion;
mod machine_deployment;
mod machine_deployment_autoscaler_keys;
mod machine_deployment_claim;
mod machine_deployment_freeze;
mod machine_deployment_in_place;
mod machine_deployment_marks;
mod machine_deployment_node_marks;
mod machine_deployment_progress;
mod machine_deployment_rollback;
mod machine_deployment_rollout;
mod machine_deployment_scaling;
mod machine_deployment_takeover;
mod machine_drain;
mod machine_health;
mod machine_in_place;
mod machine_meltdown;
mod machine_node_sync;
mod machine_preservation;
mod machine_record;
mod machine_rest;
mod machine_set;
mod machine_set_failure;
mod machine_set_freeze;
mod machine_set_marks;
mod machine_set_min_ready;
mod machine_set_preservation;
mod machine_set_ranking;
mod machine_set_replacement;
mod machine_without_target;
mod maintenance_window;
mod preview;
mod rollout_fences;
mod rollout_simulation;
