//! Rules of a MachineDeployment.

use millwright_api::MaintenanceWindows;
use millwright_api::keys::annotations;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::machine_set::judge_counts;
use crate::{count, rules, strategy, template};

/// All mistakes of a MachineDeployment.
pub(crate) fn judge(deployment: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    let spec = deployment.at("spec");
    if spec.value().is_some() && spec.map(findings).is_none() {
        return;
    }
    judge_counts(&spec, findings);
    count::judge(&spec.at("revisionHistoryLimit"), 0, "how many old sets to keep", findings);
    count::judge(&spec.at("progressDeadlineSeconds"), 1, "a number of seconds", findings);
    spec.at("paused").flag(findings);
    let rollback = spec.at("rollbackTo");
    if rollback.map(findings).is_some() {
        count::judge(&rollback.at("revision"), 0, "a revision", findings);
    }
    strategy::judge(&spec.at("strategy"), findings);
    template::judge(&spec, facts, findings);
    judge_window(&deployment.at("metadata").at("annotations").key(annotations::MAINTENANCE_WINDOW), findings);
}

/// An unreadable window would hold every rollout.
fn judge_window(annotation: &Field<'_>, findings: &mut Findings) {
    if let Some(Err(error)) = annotation.text(findings).map(str::parse::<MaintenanceWindows>) {
        findings.invalid(rules::MAINTENANCE_WINDOW, annotation, error.to_string());
    }
}
