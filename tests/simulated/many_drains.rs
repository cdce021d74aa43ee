//! As many drains at once as there are nodes: none waits for another, and each costs its own few requests.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::world::objects;
use crate::world::{Logged, Plan, Setting, World, in_world};

/// How long a budget holds back a pod of each node.
const HELD: Duration = Duration::from_secs(30);

/// How many nodes there are; 500 with `SIMULATED_FULL=1`.
fn nodes() -> usize {
    if std::env::var_os("SIMULATED_FULL").is_some() { 500 } else { 150 }
}

fn names(prefix: &str) -> impl Iterator<Item = String> {
    (1..=nodes()).map(move |number| format!("{prefix}-{number}"))
}

/// Each with two pods: one that may go, and one that a budget holds back.
async fn begin(world: &World) {
    let nodes = nodes();
    let mut secret = objects::secret();
    // Without bootstrap tokens: they are not what this is about.
    secret["data"]["userData"] = json!(STANDARD.encode("#cloud-config\n"));
    world.apply(secret);
    world.apply(objects::class(objects::CLASS));
    names("node").for_each(|name| {
        world.apply(objects::machine(&name));
    });
    world.apply(objects::machine("idle"));
    world.start();
    world.until_running(nodes + 1).await;
    for ((node, free), held) in names("node").zip(names("free")).zip(names("held")) {
        world.apply(objects::pod(&free, &node, "free"));
        world.apply(objects::pod(&held, &node, "held"));
    }
    let mut budget = objects::budget("held", u32::try_from(nodes).unwrap());
    budget["status"] = json!({
        "observedGeneration": 1, "expectedPods": nodes + 1, "currentHealthy": nodes, "desiredHealthy": nodes,
        "disruptionsAllowed": 0,
    });
    world.apply(budget);
    world.rest(Duration::from_secs(60)).await;
}

fn is_gone(world: &World, resource: &str, name: &str) -> bool {
    let namespace = if resource == "pods" { "work" } else { objects::NAMESPACE };
    world.operator.get(resource, namespace, name).is_none()
}

/// Pods that were asked to go.
fn evicted(log: &[Logged]) -> BTreeSet<&str> {
    let evictions = log.iter().filter(|logged| logged.point.signature.text.starts_with("evict "));
    evictions.map(|logged| logged.point.signature.text.as_str()).collect()
}

/// Requests by what they are about.
fn counted(log: &[Logged]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for logged in log {
        let what = logged.point.signature.text.split(['/', '-']).next().unwrap_or_default();
        *counts.entry(what.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn all_nodes_are_drained_at_once_and_none_waits_for_another() {
    let (real, nodes) = (Instant::now(), nodes());
    let played = in_world(Setting::alone(Plan::Calm), async move |world| {
        begin(&world).await;
        println!("{nodes} machines run after {:.1} s", real.elapsed().as_secs_f64());
        let before = world.conductor.log().len();
        names("node").for_each(|name| world.delete("machines", &name));

        world.rest(Duration::from_secs(10)).await;
        let log = world.conductor.log();
        let asked = evicted(&log[before..]).len();
        assert_eq!(asked, 2 * nodes, "every pod of every node is asked to go within ten seconds");
        assert!(names("free").all(|pod| is_gone(&world, "pods", &pod)), "and those that may have gone");

        // Drains that wait hold up nobody else.
        world.delete("machines", "idle");
        world.rest(Duration::from_secs(2)).await;
        assert!(
            is_gone(&world, "machines", "idle"),
            "a machine with nothing to drain is gone within two seconds"
        );

        world.rest(HELD).await;
        let log = world.conductor.log();
        println!("while they wait: {:?}", counted(&log[before..]));
        let waiting = (log.len() - before) / nodes;
        assert!(world.operator.list("machines").len() == nodes, "nobody overrides a budget");

        let freed = world.conductor.elapsed();
        let _ = world.operator.delete("poddisruptionbudgets", "work", "held");
        world.until("every machine is gone", || world.operator.list("machines").is_empty()).await;
        let took = world.conductor.elapsed() - freed;
        let log = world.conductor.log();
        let all = (log.len() - before) / nodes;
        println!("in all: {:?}", counted(&log[before..]));
        println!(
            "{nodes} drains: {waiting} requests a node in the {HELD:?} that a budget holds it, {all} until its end; all gone \
             {took:?} after the budget; {:.1} s",
            real.elapsed().as_secs_f64()
        );
        assert!(took < Duration::from_secs(60), "{took:?}");
        assert!(all <= 60, "{all} requests a node");
        world.delete("machineclasses", objects::CLASS);
        world.until_empty().await;
    });
    played.clean();
}
