//! The metrics registry a process starts with: its own CPU time, memory and file descriptors.

use prometheus::Registry;
use prometheus::process_collector::ProcessCollector;

/// A registry that shows the process itself; the wiring adds the rest.
///
/// # Errors
/// When a metric is registered twice, which a fresh registry rules out.
pub fn process_registry() -> Result<Registry, prometheus::Error> {
    let registry = Registry::new();
    registry.register(Box::new(ProcessCollector::for_self()))?;
    Ok(registry)
}
