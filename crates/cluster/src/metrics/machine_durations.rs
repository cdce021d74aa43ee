//! How long the steps of machines' lives took, under the names that dashboards of Gardener's controller read.
//!
//! They are last values, by deployment: a machine without the label `name` has none. Series go with the last machine of
//! their deployment.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use millwright_api::keys::labels;
use millwright_api::{Machine, MachineClass, ObjectView};
use millwright_decide::machine::template_zone;
use parking_lot::Mutex;
use prometheus::core::Collector;
use prometheus::{GaugeVec, IntCounterVec, Opts, Registry};

/// A step of a life, measured from the creation of the machine, or from the request for its deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Milestone {
    /// The VM was made.
    Created,
    /// The steps after that were done.
    Initialized,
    /// The node joined.
    Joined,
    /// Nothing is left.
    Deleted,
}

/// Labels of the series of a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MachineLabels {
    namespace: String,
    deployment: String,
    instance_type: String,
    zone: String,
}

impl MachineLabels {
    /// `None` for a machine of no deployment. A class that says nothing of its instances has an empty label.
    pub(crate) fn of(machine: &Machine, class: Option<&MachineClass>) -> Option<Self> {
        let deployment = machine.label(labels::DEPLOYMENT_NAME).filter(|name| !name.is_empty())?;
        let template = class.and_then(|class| class.node_template.as_ref());
        Some(Self {
            namespace: machine.namespace().to_owned(),
            deployment: deployment.to_owned(),
            instance_type: template.map(|template| template.instance_type.clone()).unwrap_or_default(),
            zone: template_zone(machine).unwrap_or_default().to_owned(),
        })
    }

    fn values(&self) -> [&str; 4] {
        [&self.namespace, &self.deployment, &self.instance_type, &self.zone]
    }
}

/// Durations of one process.
#[derive(Clone, Debug)]
pub(crate) struct MachineDurations {
    create: GaugeVec,
    initialize: GaugeVec,
    join: GaugeVec,
    delete: GaugeVec,
    drain: GaugeVec,
    failed_joins: IntCounterVec,
    /// Labels that have a series, to end it.
    alive: Arc<Mutex<BTreeSet<MachineLabels>>>,
}

const LABELS: [&str; 4] = ["namespace", "machine_deployment", "instance_type", "zone"];

impl MachineDurations {
    pub(super) fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let gauge = |step: &str, labels: &[&str], help: &str| {
            GaugeVec::new(Opts::new(format!("mcm_machine_{step}_duration_seconds"), help), labels)
        };
        let this = Self {
            create: gauge(
                "create",
                &LABELS,
                "How long it took, the last time, from a machine's creation until its VM was made.",
            )?,
            initialize: gauge(
                "initialize",
                &LABELS,
                "How long it took, the last time, from a machine's creation until the steps after its VM's creation were done.",
            )?,
            join: gauge(
                "join",
                &LABELS,
                "How long it took, the last time, from a machine's creation until its node had joined.",
            )?,
            delete: gauge(
                "delete",
                &LABELS,
                "How long it took, the last time, from the request to delete a machine until nothing was left of it.",
            )?,
            drain: gauge("drain", &LABELS[..2], "How long the last drain of a node took.")?,
            failed_joins: IntCounterVec::new(
                Opts::new(
                    "mcm_machine_num_failed_join",
                    "Machines that did not join before their creation time-out.",
                ),
                &LABELS,
            )?,
            alive: Arc::default(),
        };
        let collectors: [Box<dyn Collector>; 6] = [
            Box::new(this.create.clone()),
            Box::new(this.initialize.clone()),
            Box::new(this.join.clone()),
            Box::new(this.delete.clone()),
            Box::new(this.drain.clone()),
            Box::new(this.failed_joins.clone()),
        ];
        collectors.into_iter().try_for_each(|collector| registry.register(collector))?;
        Ok(this)
    }

    /// A machine came that far.
    pub(crate) fn reached(&self, milestone: Milestone, labels: MachineLabels, took: Duration) {
        let gauge = match milestone {
            Milestone::Created => &self.create,
            Milestone::Initialized => &self.initialize,
            Milestone::Joined => &self.join,
            Milestone::Deleted => &self.delete,
        };
        gauge.with_label_values(&labels.values()).set(whole(took));
        self.alive.lock().insert(labels);
    }

    /// A node was drained.
    pub(crate) fn drained(&self, labels: MachineLabels, took: Duration) {
        self.drain.with_label_values(&labels.values()[..2]).set(whole(took));
        self.alive.lock().insert(labels);
    }

    /// A machine did not join in time.
    pub(crate) fn failed_to_join(&self, labels: MachineLabels) {
        self.failed_joins.with_label_values(&labels.values()).inc();
        self.alive.lock().insert(labels);
    }

    /// Ends the series of deployments of a namespace that have no machine any more.
    pub(crate) fn keep(&self, namespace: &str, has_machines: impl Fn(&str) -> bool) {
        self.alive.lock().retain(|labels| {
            if labels.namespace != namespace || has_machines(&labels.deployment) {
                return true;
            }
            // A step that no machine of it has reached has no series, which is as good as an ended one.
            for gauge in [&self.create, &self.initialize, &self.join, &self.delete] {
                let _ = gauge.remove_label_values(&labels.values());
            }
            let _ = self.drain.remove_label_values(&labels.values()[..2]);
            let _ = self.failed_joins.remove_label_values(&labels.values());
            false
        });
    }
}

/// Whole seconds, as there.
fn whole(time: Duration) -> f64 {
    time.as_secs_f64().trunc()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{class, machine};
    use millwright_api::ClassNodeTemplate;

    fn text(registry: &Registry) -> String {
        prometheus::TextEncoder::new().encode_to_string(&registry.gather()).expect("text")
    }

    #[test]
    fn a_class_without_a_node_template_never_takes_the_process_down() {
        let registry = Registry::new();
        let durations = MachineDurations::register(&registry).expect("once");
        let mut named = machine("m");
        named.metadata.labels = Some([(labels::DEPLOYMENT_NAME.to_owned(), "web".to_owned())].into());
        for class in [None, Some(class("small"))] {
            let labels = MachineLabels::of(&named, class.as_ref()).expect("it has a deployment");
            durations.reached(Milestone::Joined, labels.clone(), Duration::from_millis(42_900));
            durations.failed_to_join(labels);
        }
        let series = r#"{instance_type="",machine_deployment="web",namespace="fleet",zone=""}"#;
        let text = text(&registry);
        assert!(text.contains(&format!("mcm_machine_join_duration_seconds{series} 42\n")), "{text}");
        assert!(text.contains(&format!("mcm_machine_num_failed_join{series} 2\n")), "{text}");
        assert_eq!(MachineLabels::of(&machine("m"), None), None);
    }

    #[test]
    fn series_say_instance_and_zone_and_end_with_their_deployment() {
        let registry = Registry::new();
        let durations = MachineDurations::register(&registry).expect("once");
        let mut named = machine("m");
        named.metadata.labels = Some([(labels::DEPLOYMENT_NAME.to_owned(), "web".to_owned())].into());
        named.spec.node_template.metadata.labels = Some([(labels::ZONE.to_owned(), "a".to_owned())].into());
        let mut class = class("small");
        class.node_template = Some(ClassNodeTemplate { instance_type: "xl".into(), ..Default::default() });
        let labels = MachineLabels::of(&named, Some(&class)).expect("it has a deployment");
        durations.reached(Milestone::Deleted, labels.clone(), Duration::from_secs(3));
        durations.drained(labels, Duration::from_secs(2));
        let shown = text(&registry);
        assert!(
            shown.contains(r#"delete_duration_seconds{instance_type="xl",machine_deployment="web",namespace="fleet",zone="a"} 3"#),
            "{shown}"
        );
        assert!(
            shown.contains(r#"drain_duration_seconds{machine_deployment="web",namespace="fleet"} 2"#),
            "{shown}"
        );
        durations.keep("elsewhere", |_| false);
        durations.keep("fleet", |_| true);
        assert_eq!(text(&registry), shown);
        durations.keep("fleet", |_| false);
        assert!(!text(&registry).contains("web"));
    }
}
