//! Everything that is measured, read at the beginning and at the end of a phase.

use std::time::{Duration, Instant};

use super::{
    error::BenchError,
    phase::Phase,
    proc::HighWater,
    setting::Setting,
    traffic::{self, Counts, of_others, since, stats_since},
};
use crate::{cloud::CloudStats, request_counts::RequestCounts};

/// A phase under way.
pub(super) struct Meter {
    before: Reading,
    high_water: HighWater,
    most_resident_kib: u64,
    start: Instant,
}

struct Reading {
    cpu: Duration,
    counted: RequestCounts,
    own: Counts,
    cloud: CloudStats,
    own_count: u64,
}

impl Reading {
    async fn take(setting: &Setting) -> Result<Self, BenchError> {
        let controller = setting.controller();
        let own_count = own_count(&controller.url).await?;
        Self::beside(setting, controller.proc.cpu()?, own_count).await
    }

    /// With the controller's own figures.
    async fn beside(setting: &Setting, cpu: Duration, own_count: u64) -> Result<Self, BenchError> {
        // What is asked while the API server counts is counted by it afterwards, on both readings alike.
        let own = setting.observer.own();
        let counted = setting.observer.metrics().await?;
        Ok(Self { cpu, counted, own, cloud: setting.cloud.stats().await?, own_count })
    }
}

impl Meter {
    /// Begins a phase.
    pub(super) async fn start(setting: &Setting) -> Result<Self, BenchError> {
        let before = Reading::take(setting).await?;
        let high_water = setting.controller().proc.reset_high_water();
        Ok(Self { before, high_water, most_resident_kib: 0, start: Instant::now() })
    }

    /// Begins a phase in which a controller starts: what it has used and asked counts from nothing.
    pub(super) async fn start_without_controller(setting: &Setting) -> Result<Self, BenchError> {
        let before = Reading::beside(setting, Duration::ZERO, 0).await?;
        Ok(Self { before, high_water: HighWater::Reset, most_resident_kib: 0, start: Instant::now() })
    }

    /// How long the phase has lasted.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Looks at the memory in use, for kernels that keep no mark that can be reset.
    pub(super) fn sample(&mut self, setting: &Setting) -> Result<(), BenchError> {
        self.most_resident_kib = self.most_resident_kib.max(setting.controller().proc.resident_kib()?);
        Ok(())
    }

    /// Ends the phase.
    pub(super) async fn stop(mut self, setting: &Setting, machines: u32) -> Result<Phase, BenchError> {
        let seconds = self.start.elapsed().as_secs_f64();
        let after = Reading::take(setting).await?;
        self.sample(setting)?;
        let peak_kib = match self.high_water {
            HighWater::Reset => setting.controller().proc.high_water_kib()?,
            HighWater::Stays => self.most_resident_kib,
        };
        let Reading { cpu, counted, own, cloud, own_count } = &self.before;
        let cloud = stats_since(&after.cloud, cloud);
        let own = since(&after.own, own);
        let others = of_others(after.counted.since(counted).by_kind(), &own, &cloud);
        let writes = others.iter().filter(|(kind, _)| kind.is_write()).map(|(_, count)| count);
        #[expect(
            clippy::cast_precision_loss,
            reason = "no controller has memory beyond the 53 bits of a f64"
        )]
        let peak_rss_mib = peak_kib as f64 / 1024.0;
        Ok(Phase {
            machines,
            seconds,
            cpu_seconds: after.cpu.saturating_sub(*cpu).as_secs_f64(),
            peak_rss_mib,
            api_requests: others.values().sum(),
            api_writes: writes.sum(),
            cloud_calls: cloud.calls.values().sum(),
            by: traffic::named(&others),
            own_count: after.own_count.saturating_sub(*own_count),
            cloud_by: cloud.calls,
            first_vm_seconds: None,
        })
    }
}

/// The requests that the controller says it sent.
async fn own_count(url: &str) -> Result<u64, BenchError> {
    let url = format!("{url}/metrics");
    let read = async {
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(15)).build()?;
        client.get(&url).send().await?.error_for_status()?.text().await
    };
    let text = read.await.map_err(|source| BenchError::ControllerMetrics { url: url.clone(), source })?;
    Ok(sum(&text, "rest_client_requests_total"))
}

/// Adds up a counter over its labels.
fn sum(metrics: &str, name: &str) -> u64 {
    let samples =
        metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{')?.rsplit_once("} "));
    samples.filter_map(|(_, value)| value.trim().parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_added_up_over_its_labels() {
        let metrics = "# HELP x y\nx{code=\"200\"} 3\nx{code=\"409\"} 4\nx_other{a=\"b\"} 100\nnone 1\n";
        assert_eq!(sum(metrics, "x"), 7);
        assert_eq!(sum(metrics, "missing"), 0);
    }
}
