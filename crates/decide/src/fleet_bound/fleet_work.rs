//! Who of a fleet has how many machines in work, who was promised places, and who waits for some. First come, first served.

use std::collections::BTreeMap;

use millwright_api::{IntOrPercent, Rounding};

use super::{Appetite, Cure, FreePlaces, InWork, PlaceUse, Places};

/// The deployments of a fleet by name.
#[derive(Clone, Debug, Default)]
pub struct FleetWork {
    deployments: BTreeMap<String, Known>,
    /// Those that roll, in the order in which they began to ask.
    line: Vec<Waiting>,
    /// Somebody has less in work than before.
    freed: Freed,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    wanted: i32,
    in_work: i32,
    /// Taken by steps that do not show yet.
    promised: i32,
    /// Nothing happened to it since it was counted.
    freshness: Freshness,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Freshness {
    #[default]
    Stale,
    Fresh,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Freed {
    #[default]
    No,
    Yes,
}

#[derive(Clone, Debug)]
struct Waiting {
    name: String,
    lacking: i32,
    appetite: Appetite,
    sick: i32,
}

impl FleetWork {
    /// Something happened to a deployment or what is its own: it must be counted anew.
    pub fn changed(&mut self, name: &str) {
        if let Some(known) = self.deployments.get_mut(name) {
            known.freshness = Freshness::Stale;
        }
    }

    /// Whether the count of a deployment is of use.
    #[must_use]
    pub fn is_fresh(&self, name: &str) -> bool {
        self.deployments.get(name).is_some_and(|known| known.freshness == Freshness::Fresh)
    }

    /// Takes the count of a deployment that wants so many machines.
    pub fn count(&mut self, name: &str, wanted: i32, in_work: InWork) {
        let known = match self.deployments.get_mut(name) {
            Some(known) => known,
            None => self.deployments.entry(name.to_owned()).or_default(),
        };
        let total = in_work.total();
        if total < known.in_work {
            self.freed = Freed::Yes;
        }
        *known = Known { wanted, in_work: total, freshness: Freshness::Fresh, ..*known };
    }

    /// Forgets all but these.
    pub fn keep(&mut self, lives: impl Fn(&str) -> bool) {
        let before = self.deployments.len();
        self.deployments.retain(|name, _| lives(name));
        self.line.retain(|waiting| lives(&waiting.name));
        if self.deployments.len() < before {
            self.freed = Freed::Yes;
        }
    }

    /// Names of the deployments, and the machines in work of each.
    pub fn in_work(&self) -> impl Iterator<Item = (&str, i32)> {
        self.deployments.iter().map(|(name, known)| (name.as_str(), known.in_work))
    }

    /// The places that a deployment is offered. What was promised to it before does not count against it.
    #[must_use]
    pub fn places(&self, name: &str, bound: Option<&IntOrPercent>) -> Places {
        let Some(bound) = bound else { return Places::Unbounded };
        let limit = self.limit(bound);
        let others = || self.deployments.iter().filter(|(other, _)| *other != name);
        let taken = |known: &Known| known.in_work.saturating_add(known.promised);
        let elsewhere: i32 = others().map(|(_, known)| taken(known)).sum();
        let at_work = others().filter(|(_, known)| taken(known) > 0).map(|(other, _)| other.clone());
        let (mut left, mut ahead) = ((limit - elsewhere).max(0), Vec::new());
        let kept_from = left;
        for waiting in self.line.iter().take_while(|waiting| waiting.name != name) {
            let keeps = match waiting.appetite {
                _ if waiting.lacking <= left => waiting.lacking,
                Appetite::Portions => left,
                // It goes when nobody else is at work; others stand back only where that helps it.
                Appetite::Whole if self.only_rollouts_work(&waiting.name) => left,
                Appetite::Whole => 0,
            };
            left -= keeps;
            if keeps > 0 {
                ahead.push(waiting.name.clone());
            }
        }
        Places::Bounded(FreePlaces {
            limit,
            elsewhere,
            kept: kept_from - left,
            at_work: at_work.collect(),
            ahead,
            cure: self.cure(name),
        })
    }

    /// Notes what a deployment's plan makes of its places, in place of what it was promised before.
    pub fn note(&mut self, name: &str, made: PlaceUse) {
        match made {
            PlaceUse::NotAsked => {
                self.settle(name);
                let before = self.line.len();
                self.line.retain(|waiting| waiting.name != name);
                if self.line.len() < before {
                    self.freed = Freed::Yes;
                }
            }
            PlaceUse::Asked { taken, lacking, appetite, sick } => {
                if let Some(known) = self.deployments.get_mut(name) {
                    // What is promised once more sets nobody free: steps that fail again and again would wake all that
                    // wait, and the rollout itself, each time.
                    if taken < known.promised {
                        self.freed = Freed::Yes;
                    }
                    known.promised = taken;
                }
                match self.line.iter_mut().find(|waiting| waiting.name == name) {
                    Some(waiting) => {
                        if lacking < waiting.lacking || sick != waiting.sick {
                            self.freed = Freed::Yes;
                        }
                        waiting.lacking = lacking;
                        waiting.appetite = appetite;
                        waiting.sick = sick;
                    }
                    None => {
                        // Now that it waits as well, it may be somebody's turn to be cured.
                        if sick > 0 {
                            self.freed = Freed::Yes;
                        }
                        self.line.push(Waiting { name: name.to_owned(), lacking, appetite, sick });
                    }
                }
            }
        }
    }

    /// What was promised shows, or did not happen.
    pub fn settle(&mut self, name: &str) {
        if let Some(known) = self.deployments.get_mut(name).filter(|known| known.promised > 0) {
            known.promised = 0;
            self.freed = Freed::Yes;
        }
    }

    /// Those that wait and may have their turn now, because others have less in work than when this was asked last.
    pub fn take_woken(&mut self) -> Vec<String> {
        if std::mem::take(&mut self.freed) == Freed::No {
            return Vec::new();
        }
        let waiting = self.line.iter().filter(|waiting| waiting.lacking > 0);
        waiting.map(|waiting| waiting.name.clone()).collect()
    }

    /// A share is rounded down; at least one may always be in work, else nothing would ever be rolled.
    fn limit(&self, bound: &IntOrPercent) -> i32 {
        let wanted = self.deployments.values().fold(0_i32, |sum, known| sum.saturating_add(known.wanted));
        bound.resolve(wanted, Rounding::Down).unwrap_or(1).max(1)
    }

    /// Whether that deployment is the first to replace its sick machines, where nothing else is in work than such.
    fn cure(&self, name: &str) -> Cure {
        let sick = |other: &str| {
            let waiting = self.line.iter().find(|waiting| waiting.name == other);
            waiting.map_or(0, |waiting| waiting.sick)
        };
        let mut others = self.deployments.iter().filter(|(other, _)| *other != name);
        let all_wait =
            others.all(|(other, known)| known.in_work.saturating_add(known.promised) <= sick(other));
        let mut before = self.line.iter().take_while(|waiting| waiting.name != name);
        if all_wait && before.all(|waiting| waiting.sick == 0) { Cure::Now } else { Cure::NotNow }
    }

    /// All that is in work beside that deployment is of rollouts, which come to an end when they get nothing more.
    fn only_rollouts_work(&self, name: &str) -> bool {
        let rolls = |other: &str| self.line.iter().any(|waiting| waiting.name == other);
        self.deployments.iter().all(|(other, known)| other == name || known.in_work == 0 || rolls(other))
    }
}
