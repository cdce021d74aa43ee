//! One control plane for all tests of a process: each test takes a namespace of its own.

use tokio::sync::OnceCell;

use crate::{error::Error, options::Options, testbed::Testbed};

/// Never dropped, as statics are; the guard ends the programs when the process ends.
static SHARED: OnceCell<Result<Testbed, Error>> = OnceCell::const_new();

impl Testbed {
    /// The control plane of this process, started by the first who asks. A failed start is not tried again.
    pub async fn shared() -> Result<&'static Self, &'static Error> {
        SHARED.get_or_init(|| Self::start(Options::default())).await.as_ref()
    }
}
