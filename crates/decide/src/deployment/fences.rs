//! How far a rollout may stray from the wanted number of machines.

use millwright_api::{IntOrPercent, MachineDeployment, Rounding};

use super::in_place::Orchestration;

use crate::fleet_bound::InWork;

/// Surge and unavailability, resolved to counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    /// Machines wanted.
    pub replicas: i32,
    /// Machines above that, as its user allows it.
    pub surge: i32,
    /// Machines below that, as its user allows it.
    pub unavailable: i32,
    /// How much of the surge may be used now.
    above: i32,
    /// How much of the unavailability may be used now.
    below: i32,
}

impl Fences {
    /// The fences of a deployment; Recreate has none to stray to. What is absent or unreadable reads as surge 1,
    /// unavailable 0: admission has refused it, and an old object must neither overshoot nor lose a machine over it.
    #[must_use]
    pub fn of(deployment: &MachineDeployment) -> Self {
        let replicas = deployment.spec.replicas.max(0);
        let strategy = &deployment.spec.strategy;
        let (surge, unavailable) = match strategy.type_.as_str() {
            "Recreate" => return Self { replicas, surge: 0, unavailable: 0, above: 0, below: 0 },
            "InPlaceUpdate" => {
                let given = strategy.in_place_update.as_ref();
                // Whoever selects nodes by hand wants no machines beside them.
                let surge = match Orchestration::of(deployment) {
                    Orchestration::Auto => given.and_then(|g| g.max_surge.as_ref()),
                    Orchestration::Manual => Some(&IntOrPercent::Int(0)),
                };
                (surge, given.and_then(|g| g.max_unavailable.as_ref()))
            }
            _ => {
                let given = strategy.rolling_update.as_ref();
                (given.and_then(|g| g.max_surge.as_ref()), given.and_then(|g| g.max_unavailable.as_ref()))
            }
        };
        let resolve = |value: Option<&IntOrPercent>, rounding, otherwise| {
            value.and_then(|value| value.resolve(replicas, rounding).ok()).unwrap_or(otherwise)
        };
        let surge = resolve(surge, Rounding::Up, 1);
        let unavailable = resolve(unavailable, Rounding::Down, 0);
        // With neither, nothing could ever move.
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        let unavailable = unavailable.min(replicas);
        Self { replicas, surge, unavailable, above: surge, below: unavailable }
    }

    /// The same, where beside what is in work only so many machines may be taken into it.
    #[must_use]
    pub fn within(self, own: InWork, places: i32) -> Self {
        Self {
            above: self.above.min(own.surplus.saturating_add(places)),
            // Of an exchange only the surplus is under way: who is missed for it is there when its successor is.
            below: self.below.min((own.shortage - own.exchanged).saturating_add(places)),
            ..self
        }
    }

    /// The most machines that may exist.
    #[must_use]
    pub const fn most(self) -> i32 {
        if self.replicas == 0 { 0 } else { self.replicas.saturating_add(self.above) }
    }

    /// The fewest machines that must be available.
    #[must_use]
    pub const fn fewest(self) -> i32 {
        self.replicas - self.below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_api::RollingUpdate;

    #[test]
    fn percentages_round_towards_more_machines_and_both_zero_means_one_unavailable() {
        for (replicas, surge, unavailable, most, fewest) in [
            (10, IntOrPercent::Text("25%".into()), IntOrPercent::Text("25%".into()), 13, 8),
            (10, IntOrPercent::Int(0), IntOrPercent::Int(0), 10, 9),
            (3, IntOrPercent::Int(1), IntOrPercent::Int(0), 4, 3),
            (0, IntOrPercent::Int(1), IntOrPercent::Int(0), 0, 0),
            (2, IntOrPercent::Int(0), IntOrPercent::Int(5), 2, 0),
        ] {
            let mut deployment = MachineDeployment::default();
            deployment.spec.replicas = replicas;
            deployment.spec.strategy.rolling_update =
                Some(RollingUpdate { max_surge: Some(surge), max_unavailable: Some(unavailable) });
            let fences = Fences::of(&deployment);
            assert_eq!((fences.most(), fences.fewest()), (most, fewest), "{deployment:?}");
        }
    }
}
