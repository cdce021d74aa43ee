//! Changes of mind, and what comes before anybody looks.

use std::time::Duration;

use http::Method;
use serde_json::json;

use super::gardener::{self, CHANGED, TRIGGER};
use super::pool::with_pool;
use super::upstream;
use crate::world::objects::NAMESPACE;

#[test]
fn a_choice_that_was_taken_back_after_a_failed_write_of_the_size_harms_nobody() {
    let played = with_pool(3, async |pool| {
        let names = pool.machines();
        // Sizes below zero are refused, as any refusal would be.
        let machine = upstream::read(pool, &names[2]).await;
        upstream::mark(pool, machine).await.unwrap();
        pool.world.rest(Duration::from_secs(60)).await;
        assert_eq!(upstream::set_size(pool, -1).await, Err(422));
        upstream::unmark(pool, &names[2]).await;
        pool.must_end(3, &[]).await;
        upstream::delete_node(pool, &names[1]).await;
        pool.must_end(2, &[&names[1]]).await;
    });
    played.clean();
}

/// machine-controller-manager #1085.
#[test]
fn a_scale_down_that_is_overtaken_by_a_scale_up_replaces_the_drained_machine_and_no_other() {
    let played = with_pool(3, async |pool| {
        let chosen = pool.last();
        // The controller is away for both.
        pool.world.kill();
        let known = gardener::read(pool).await;
        let now = gardener::now(pool);
        gardener::persist(pool, known, |known| gardener::smaller(known, &[&chosen], &now)).await;
        let known = gardener::read(pool).await;
        gardener::persist(pool, known, |known| gardener::larger(known, 1)).await;
        pool.must_end(3, &[&chosen]).await;
        assert_eq!(pool.deployment()["metadata"]["annotations"].get(TRIGGER), None);
    });
    played.clean();
}

#[test]
fn names_without_times_of_an_old_autoscaler_are_understood() {
    let played = with_pool(3, async |pool| {
        let chosen = pool.last();
        let mut deployment = gardener::read(pool).await;
        deployment["spec"]["replicas"] = json!(2);
        deployment["metadata"]["annotations"][TRIGGER] = json!(chosen);
        gardener::write(pool, deployment).await.unwrap();
        pool.must_end(2, &[&chosen]).await;
        let left = pool.deployment();
        assert_eq!(left["metadata"]["annotations"].get(TRIGGER), None);
        assert!(left["metadata"]["annotations"][CHANGED].is_string());
    });
    played.clean();
}

#[test]
fn two_choices_that_follow_each_other_at_once_both_go() {
    let played = with_pool(4, async |pool| {
        let names = pool.machines();
        for chosen in [&names[3], &names[2]] {
            let known = gardener::read(pool).await;
            let now = gardener::now(pool);
            gardener::persist(pool, known, |known| gardener::smaller(known, &[chosen], &now)).await;
        }
        pool.must_end(2, &[&names[2], &names[3]]).await;
    });
    played.clean();
}

#[test]
fn what_nobody_can_act_on_leaves_the_annotation_and_harms_nobody() {
    let played = with_pool(2, async |pool| {
        let mut deployment = gardener::read(pool).await;
        deployment["metadata"]["annotations"][TRIGGER] = json!("gone~2026-11-21T08:00:00Z,odd~yesterday,,~");
        gardener::write(pool, deployment).await.unwrap();
        pool.must_end(2, &[]).await;
        assert_eq!(pool.deployment()["metadata"]["annotations"].get(TRIGGER), None);
    });
    played.clean();
}

#[test]
fn both_autoscalers_find_what_they_read() {
    let played = with_pool(1, async |pool| {
        let name = pool.last();
        let node = pool.world.operator.get("nodes", "", &name).unwrap();
        assert_eq!(node["metadata"]["annotations"]["machine.sapcloud.io/machine"], json!(name));
        let namespace = &node["metadata"]["annotations"]["machine.sapcloud.io/cluster-namespace"];
        assert_eq!(*namespace, json!(NAMESPACE));
        let set = &pool.world.operator.list("machinesets")[0];
        assert_eq!(set["metadata"]["labels"]["cluster.x-k8s.io/deployment-name"], json!("pool"));
        let revision = &set["metadata"]["annotations"]["machinedeployment.clusters.x-k8s.io/revision"];
        assert_eq!(*revision, json!("1"));
        let conditions = pool.deployment()["status"]["conditions"].clone();
        let progressing = conditions.as_array().unwrap().iter().find(|c| c["type"] == "Progressing").unwrap();
        assert_eq!(
            (&progressing["status"], &progressing["reason"]),
            (&json!("True"), &json!("NewMachineSetAvailable"))
        );
        let machine = pool.ask(Method::GET, &format!("machines/{name}"), None).await.unwrap();
        assert_eq!(machine["status"]["phase"], json!("Running"));
    });
    played.clean();
}
