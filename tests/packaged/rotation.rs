//! The webhook's own certificates, with the rights of config/components/self-signed: renewed, rotated and handed from leader to leader while
//! an API server asks all the time. Not one request may fail.

mod balancer;
mod load;
mod probe;
mod replica;
pub(crate) mod stage;

use std::time::Duration;

use crate::patience::{settle, until};
use crate::runtime::run;
use load::Load;
use probe::Probe;
use replica::Replica;
use stage::Stage;

/// A certificate is renewed half a minute after it was made, a CA after a minute. Each has a quarter of a minute and more left then, which is
/// what a busy machine may sleep.
const SHORT_LIVES: [&str; 4] =
    ["--certificate-lifetime=48s", "--ca-lifetime=96s", "--ca-settle-time=5s", "--ca-retire-time=5s"];

/// Only who asks for it gets a rotation.
const LONG_LIVES: [&str; 2] = ["--ca-settle-time=5s", "--ca-retire-time=5s"];

#[test]
fn no_request_fails_while_ca_and_certificate_are_renewed_again_and_again() {
    run(async {
        let stage = Stage::set("rotate").await;
        let replicas = stage.start_two(&SHORT_LIVES).await;
        stage.is_asked().await;
        let load = Load::begin(&stage);
        let probe = Probe::begin(&stage, &replicas);

        let begun = stage.bundles_seen().await;
        for rotation in 1..=2 {
            let before = stage.newest_ca().await;
            until(&format!("rotation {rotation} by the clock"), async || {
                let bundle = stage.bundle().await?;
                (bundle.len() == 1 && bundle[0] != before).then_some(())
            })
            .await;
        }
        // By hand: without its Secret the leader makes everything anew, in the same order.
        let before = stage.newest_ca().await;
        stage.delete_secret().await;
        until("the rotation by hand", async || {
            let bundle = stage.bundle().await?;
            (bundle.len() == 1 && bundle[0] != before && stage.try_secret().await.is_some()).then_some(())
        })
        .await;

        let (load, probe) = (load.end().await, probe.end().await);
        let (cas, certificates) = stage.renewals(&replicas).await;
        println!(
            "rotations: {cas} CAs, {certificates} further certificates; {begun} CA at the start; {load}; {probe}"
        );
        assert!(cas >= 4 && certificates >= 3, "{cas} CAs, {certificates} certificates");
        load.assert_none_failed();
        probe.assert_none_failed();
        stage.strike(replicas).await;
    });
}

#[test]
fn no_request_fails_while_the_replicas_are_replaced_one_by_one() {
    run(async {
        let stage = Stage::set("rolling").await;
        let mut replicas = stage.start_two(&LONG_LIVES).await;
        stage.is_asked().await;
        let load = Load::begin(&stage);
        // The second round goes on amid a rotation.
        for round in 0..2 {
            if round == 1 {
                stage.delete_secret().await;
            }
            for _ in 0..2 {
                let new = stage.start(&LONG_LIVES).await;
                stage.balancer.add(new.port);
                replicas.push(new);
                let old = replicas.remove(0);
                // As the kubelet does it: the endpoint goes while preStop sleeps, then comes SIGTERM.
                stage.balancer.remove(old.port);
                tokio::time::sleep(Duration::from_secs(3)).await;
                old.end().await;
            }
        }
        settle().await;
        let load = load.end().await;
        println!(
            "rolling restart: 4 replicas replaced; {load}; {} connections",
            stage.balancer.connections()
        );
        load.assert_none_failed();
        stage.strike(replicas).await;
    });
}

#[test]
fn when_its_leader_is_killed_amid_a_rotation_the_other_replica_finishes_it() {
    run(async {
        let stage = Stage::set("killed").await;
        let mut replicas = stage.start_two(&LONG_LIVES).await;
        stage.is_asked().await;
        // Started at once in a namespace without a Secret, they made one CA between them.
        assert_eq!(stage.bundles_seen().await, 1);
        let made: Vec<u64> = stage.each_made(&replicas).await;
        assert_eq!(made.iter().sum::<u64>(), 1, "{made:?}");
        for replica in &replicas {
            assert!(replica.is_trusted(&stage.bundle_pem().await.unwrap()).await);
        }

        let before = stage.newest_ca().await;
        stage.delete_secret().await;
        let both =
            until("both CAs are trusted", async || stage.bundle().await.filter(|cas| cas.len() == 2)).await;
        assert!(both.contains(&before));
        let leader = usize::from(made[0] == 0);
        let killed = replicas.remove(leader);
        stage.balancer.remove(killed.port);
        drop(killed);

        let probe = Probe::begin(&stage, &replicas);
        let load = Load::begin(&stage);
        let newest = both.iter().find(|ca| **ca != before).unwrap();
        until("the other has finished the rotation", async || {
            (stage.bundle().await? == [newest.clone()]).then_some(())
        })
        .await;
        let (load, probe) = (load.end().await, probe.end().await);
        println!("leader killed amid a rotation, the other finished it; {load}; {probe}");
        load.assert_none_failed();
        probe.assert_none_failed();
        assert_eq!(stage.each_made(&replicas).await, [0], "it made a CA of its own");
        stage.strike(replicas).await;
    });
}

#[test]
fn a_leader_that_slept_through_its_lease_leads_again_when_it_is_needed() {
    run(async {
        let stage = Stage::set("slept").await;
        let mut replicas = stage.start_two(&LONG_LIVES).await;
        let made = stage.each_made(&replicas).await;
        let mut sleeper = replicas.remove(usize::from(made[0] == 0));
        let rotated = async |before: String| {
            until("a rotation has come to its end", async || {
                let bundle = stage.bundle().await?;
                (bundle.len() == 1 && bundle[0] != before).then_some(())
            })
            .await;
        };

        let before = stage.newest_ca().await;
        sleeper.process.pause();
        stage.delete_secret().await;
        rotated(before).await;
        sleeper.process.resume();
        let log = sleeper.process.log().to_owned();
        until("the sleeper knows that it leads no more", async || {
            std::fs::read_to_string(&log).ok()?.contains("lost the lease").then_some(())
        })
        .await;

        let before = stage.newest_ca().await;
        // Killed, so that its lease has to run out.
        drop(replicas);
        stage.delete_secret().await;
        rotated(before).await;
        assert_eq!(sleeper.metric("millwright_webhook_certificate_renewals_total{what=\"ca\"}").await, 2);
        assert!(sleeper.is_trusted(&stage.bundle_pem().await.unwrap()).await);
        stage.strike(vec![sleeper]).await;
    });
}

#[test]
fn a_broken_secret_is_repaired_and_what_is_served_stays_trusted() {
    run(async {
        let stage = Stage::set("broken").await;
        let replicas: Vec<Replica> = stage.start_two(&LONG_LIVES).await;
        stage.is_asked().await;
        let (load, probe) = (Load::begin(&stage), Probe::begin(&stage, &replicas));
        for harm in [
            r#"{"data":{"tls.key":"Z2FyYmFnZQ=="}}"#,
            r#"{"data":{"ca.key":"Z2FyYmFnZQ=="}}"#,
            r#"{"data":{"ca.crt":null,"tls.crt":null}}"#,
            r#"{"data":null}"#,
        ] {
            stage.patch_secret(harm).await;
            until(&format!("the Secret is whole after {harm}"), async || {
                let is_whole = stage.try_secret().await?.is_whole();
                let is_at_rest = stage.bundle().await?.len() == 1;
                (is_whole && is_at_rest).then_some(())
            })
            .await;
        }
        let (load, probe) = (load.end().await, probe.end().await);
        println!("Secret broken 4 times; {load}; {probe}");
        load.assert_none_failed();
        probe.assert_none_failed();
        stage.strike(replicas).await;
    });
}
