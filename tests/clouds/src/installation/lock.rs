//! One installation at a time on this machine.

use std::{
    fs::{File, TryLockError},
    time::{Duration, Instant},
};

use millwright_testbed::{Progress, cache_folder};

use crate::StandInError;

const LONGEST_WAIT: Duration = Duration::from_secs(1800);
const SAY_EVERY: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(200);

/// The right to write to the cache; given back when it is dropped, at the latest when the process ends.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for it.
    pub(crate) async fn take(progress: &dyn Progress) -> Result<Self, StandInError> {
        let cache = cache_folder()?;
        std::fs::create_dir_all(&cache).map_err(StandInError::disk("create", &cache))?;
        let path = cache.join("clouds.lock");
        let file = File::create(&path).map_err(StandInError::disk("create", &path))?;
        let start = Instant::now();
        let mut said = start;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(source)) => return Err(StandInError::disk("lock", path)(source)),
                Err(TryLockError::WouldBlock) if start.elapsed() > LONGEST_WAIT => {
                    return Err(StandInError::Occupied { lock: path });
                }
                Err(TryLockError::WouldBlock) => {}
            }
            if said.elapsed() >= SAY_EVERY {
                said = Instant::now();
                progress.say("another process installs stand-ins for clouds, waiting for its end");
            }
            tokio::time::sleep(POLL).await;
        }
    }
}
