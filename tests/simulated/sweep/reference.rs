//! The undisturbed run that all others are compared with.

use std::collections::{BTreeMap, BTreeSet};

use crate::scenario::{Scenario, rest};
use crate::world::{EndState, Plan, Point, in_world};

/// What an undisturbed run sends, and what it ends in.
pub(crate) struct Reference {
    /// Every request, once.
    pub(crate) points: Vec<Point>,
    /// What was there at the scenario's rests.
    pub(crate) rests: Vec<EndState>,
    /// How often an object of each kind was written.
    pub(crate) events: BTreeMap<String, usize>,
}

impl Reference {
    pub(crate) fn of(scenario: Scenario) -> Self {
        let played = in_world(scenario.setting(Plan::Calm), move |world| scenario.play(world));
        let (log, events) = (played.log.clone(), played.events.clone().into_iter().collect());
        let rests = played.clean();
        let mut seen = BTreeSet::new();
        let points = log.into_iter().map(|logged| logged.point).filter(|point| seen.insert(point.clone()));
        Self { points: points.collect(), rests, events }
    }

    /// Those that differ from each other. Relists and looks at rest are many and alike: the first ones stand for them.
    pub(crate) fn distinct(&self) -> Vec<Point> {
        let often = |point: &&Point| {
            let signature = &point.signature;
            let most = match signature.text.split(' ').next() {
                Some("watch") => 1,
                Some("list") if signature.text.ends_with("pods") => 6,
                Some("list") => 2,
                Some("evict") => 4,
                _ => usize::MAX,
            };
            point.nth <= most
        };
        self.points.iter().filter(often).cloned().collect()
    }
}

#[test]
fn an_undisturbed_run_ends_in_nothing_and_writes_nothing_at_rest() {
    for scenario in Scenario::ALL {
        let played = in_world(scenario.setting(Plan::Calm), move |world| async move {
            let rests = scenario.play(world.clone()).await;
            rest(&world).await;
            rests
        });
        let requests = played.log.len();
        let writes = played.log.iter().filter(|logged| logged.point.signature.is_write).count();
        println!(
            "{scenario:?}: {requests} requests, {writes} of them writes, in {:?} of simulated time",
            played.simulated
        );
        if std::env::var_os("SIMULATED_SHOW").is_some() {
            played
                .log
                .iter()
                .for_each(|logged| println!("{:>9.3} {}", logged.at.as_secs_f64(), logged.point));
        }
        let rests = played.clean();
        assert!(
            rests.last().unwrap().is_empty(),
            "left at the end of {scenario:?}:\n{}",
            rests.last().unwrap()
        );
    }
}
