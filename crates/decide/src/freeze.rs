//! Whether we can trust what we see. Blind means: judge nobody, start nothing, delete nothing.
//!
//! [`Sight`] is told what probes of the API servers and the watches say, and answers how far what we see can be
//! trusted. Probing, listing anew and telling people is up to the caller.

mod blind_times;
mod observation;
mod settings;
mod sight;
mod step;
mod trust;

pub use observation::{Observation, ProbeAnswer, WatchSight};
pub use settings::{FreezeSettings, FreezeSettingsError};
pub use sight::Sight;
pub use step::{Relist, SightChange, SightStep};
pub use trust::{Freeze, Trust};
