//! Sizes alone: growth, and targets that are taken back before there are nodes.

use std::time::Duration;

use serde_json::json;

use super::gardener;
use super::pool::with_pool;
use super::upstream;

#[test]
fn gardeners_growth_comes_through_a_conflict_with_our_status() {
    let played = with_pool(2, async |pool| {
        let before = pool.machines();
        let known = gardener::read(pool).await;
        // Somebody scales, and our status goes with it: what the autoscaler read is old.
        upstream::set_size(pool, 3).await.unwrap();
        pool.must_end(3, &[]).await;
        let conflicts = gardener::persist(pool, known, |known| gardener::larger(known, 1)).await;
        assert_eq!(conflicts, 1);
        pool.must_end(4, &[]).await;
        assert!(before.iter().all(|name| pool.machines().contains(name)));
    });
    played.clean();
}

#[test]
fn a_target_that_is_taken_back_takes_the_machine_that_has_no_node() {
    let played = with_pool(2, async |pool| {
        let before = pool.machines();
        let size = upstream::size(pool).await;
        upstream::set_size(pool, size + 1).await.unwrap();
        pool.world.until("there is one more", || pool.machines().len() == 3).await;
        let pending = pool.machines().into_iter().find(|name| !before.contains(name)).unwrap();
        pool.world.mute.lock().push(pending.clone());
        pool.world.rest(Duration::from_secs(300)).await;
        let machine = upstream::read(pool, &pending).await;
        assert_eq!(machine["status"].get("nodeRef"), None, "the autoscaler counts it as pending");
        let joined = upstream::read(pool, &before[0]).await;
        assert_eq!(joined["status"]["nodeRef"]["name"], json!(before[0]));
        upstream::set_size(pool, size).await.unwrap();
        pool.must_end(2, &[&pending]).await;
    });
    played.clean();
}

#[test]
fn a_size_of_zero_comes_from_both_and_stays_written() {
    let played = with_pool(2, async |pool| {
        let known = gardener::read(pool).await;
        let (now, all) = (gardener::now(pool), pool.machines());
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        gardener::persist(pool, known, |known| gardener::smaller(known, &all, &now)).await;
        pool.must_end(0, &all).await;
        upstream::set_size(pool, 1).await.unwrap();
        pool.world.until_running(1).await;
        upstream::set_size(pool, 0).await.unwrap();
        pool.world.until_running(0).await;
        pool.world.rest(Duration::from_secs(120)).await;
        assert_eq!(pool.deployment()["spec"]["replicas"], json!(0), "our writes keep it");
        let sets = pool.world.operator.list("machinesets");
        assert_eq!(sets[0]["spec"]["replicas"], json!(0));
    });
    played.clean();
}
