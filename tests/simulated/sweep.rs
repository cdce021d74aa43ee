//! Every request of a reference run disturbed, one by one; the end must be that of the undisturbed run.

mod api_faults;
mod case;
mod cloud_faults;
mod crash;
mod reference;
mod run;
mod two_leaders;
mod watch_faults;
