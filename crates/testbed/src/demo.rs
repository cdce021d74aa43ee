//! The demo: builds and starts everything, then tells the story of a pool of machines, each step seen to happen through kubectl and the
//! simulated cloud. What is told is in `steps`, one file each; who plays is in `stage`; how it is shown is in `crate::screen`.

mod arguments;
mod error;
mod events;
mod eyes;
mod farewell;
mod pool;
mod rollout;
mod run;
mod samples;
mod stage;
mod steps;
mod tally;

pub use self::{
    arguments::Arguments,
    error::{DemoError, Unseen},
    run::run,
};
