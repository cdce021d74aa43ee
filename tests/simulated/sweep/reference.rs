//! The undisturbed run that all others are compared with.

use std::collections::BTreeSet;

use crate::scenario::Scenario;
use crate::world::{EndState, Plan, Point, in_world};

/// What an undisturbed run sends, and what it ends in.
pub(crate) struct Reference {
    pub(crate) points: Vec<Point>,
    pub(crate) rests: Vec<EndState>,
}

impl Reference {
    pub(crate) fn of(scenario: Scenario) -> Self {
        let played = in_world(scenario.setting(Plan::Calm), move |world| scenario.play(world));
        let log = played.log.clone();
        let rests = played.clean();
        // Relists and sweeps at rest are many and alike: the first of each kind stands for them.
        let mut seen = BTreeSet::new();
        let points = log.into_iter().map(|logged| logged.point).filter(|point| seen.insert(point.clone()));
        Self { points: points.collect(), rests }
    }
}

#[test]
fn an_undisturbed_run_ends_in_nothing_and_keeps_every_invariant() {
    for scenario in [Scenario::BirthAndDeath, Scenario::Drain] {
        let reference = Reference::of(scenario);
        println!("{scenario:?}: {} requests", reference.points.len());
        for point in &reference.points {
            println!("  {point}");
        }
        for rest in &reference.rests {
            println!("{rest}\n");
        }
    }
}
