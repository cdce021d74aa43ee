//! One disturbed run.

use std::fmt;

use crate::scenario::Scenario;
use crate::world::{Plan, Point, Strike};

/// A scenario, a request of it, and what happens to that request.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) scenario: Scenario,
    pub(crate) point: Point,
    pub(crate) strike: Strike,
    /// How many requests of the same kind share its fate.
    pub(crate) more: usize,
    /// What the strike is called.
    pub(crate) called: &'static str,
}

impl Case {
    pub(crate) fn plan(&self) -> Plan {
        Plan::At { point: self.point.clone(), strike: self.strike.clone(), more: self.more }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} / {} / {} x{}", self.scenario, self.point, self.called, self.more + 1)
    }
}
