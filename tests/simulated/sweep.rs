//! Every request of a reference run disturbed, one by one.

mod reference;
