//! An API server that answers nobody for a while.

use crate::outage::{Outage, costs_no_machine};
use crate::runtime::run;

#[test]
fn an_api_server_that_hangs_for_60_seconds_costs_no_machine() {
    run(costs_no_machine("hangs", Outage::Asleep));
}
