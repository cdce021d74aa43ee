//! The ten cases that machine-controller-manager's providers hold it against, in their order and with their objects, flags and figures:
//! two programs, one for deployments and sets and one for machines, and kubectl. What they ask of an implementation is in [`cases`], what
//! they look at in [`sight`].

mod cases;
mod objects;
mod sight;

use std::time::Instant;

use crate::fleet::{Fleet, Webhook};
use crate::runtime::run;
use cases::{Case, cases};
use sight::Suite;

/// The flags with which upstream's suite starts the program for deployments and sets. It is asked to be quick about frozen sets.
const DEPLOYMENTS_AND_SETS: [&str; 6] = [
    "--controllers=machinedeployment,machineset",
    "--safety-up=2",
    "--safety-down=1",
    "--machine-safety-overshooting-period=300ms",
    "--leader-elect",
    "--v=3",
];
/// And the one for machines.
const MACHINES: [&str; 3] = ["--controllers=machine", "--leader-elect=false", "--v=3"];

#[test]
fn the_ten_cases_of_upstreams_suite_pass_in_their_order() {
    run(async {
        let mut fleet = Fleet::without_controller("accept", Webhook::Asked).await;
        for object in [
            objects::secret(&fleet),
            objects::class(&fleet, objects::V1),
            objects::class(&fleet, objects::V2),
        ] {
            fleet.apply(&object).await;
        }
        fleet.start_controller(&DEPLOYMENTS_AND_SETS).await;
        fleet.start_controller(&MACHINES).await;
        let mut suite = Suite::begin(fleet).await;
        let begin = Instant::now();
        for Case { number, what, play } in cases() {
            suite.before_each(what).await;
            let start = Instant::now();
            play(&suite).await;
            println!("acceptance {number:>2}. {what} ... ok ({:.1} s)", start.elapsed().as_secs_f64());
        }
        println!("acceptance: 10 passed in {:.1} s", begin.elapsed().as_secs_f64());
        suite.fleet.close().await;
    });
}
