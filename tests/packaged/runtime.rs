//! One runtime for all tests: clients, watches and simulated clouds that they share must outlive the test that began them.

use std::sync::LazyLock;

use tokio::runtime::Runtime;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// Runs a test to its end.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    RUNTIME.block_on(test)
}
