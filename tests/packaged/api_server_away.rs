//! An API server that is dead for a while.

use crate::outage::{Outage, costs_no_machine};
use crate::runtime::run;

#[test]
fn an_api_server_that_is_away_for_60_seconds_costs_no_machine() {
    run(costs_no_machine("away", Outage::Dead));
}
