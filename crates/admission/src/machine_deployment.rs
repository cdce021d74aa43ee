//! Rules of a MachineDeployment.

use millwright_api::keys::labels;
use serde_json::Value;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::machine_set::judge_counts;
use crate::object_meta::Author;
use crate::{count, known_fields, rules, scale_from_zero, selector_change, strategy, template};

/// All mistakes of a MachineDeployment. With `old`, also what may not change.
pub(crate) fn judge(deployment: &Field<'_>, old: Option<&Value>, facts: &dyn Facts, findings: &mut Findings) {
    known_fields::judge(deployment, &known_fields::OBJECT, findings);
    let spec = deployment.at("spec");
    if spec.value().is_some() && spec.map(findings).is_none() {
        return;
    }
    known_fields::judge(&spec, &known_fields::DEPLOYMENT_SPEC, findings);
    judge_counts(&spec, findings);
    count::judge(&spec.at("revisionHistoryLimit"), 0, "how many old sets to keep", findings);
    judge_deadline(&spec, findings);
    judge_rollback(&spec, findings);
    strategy::judge(&spec.at("strategy"), findings);
    template::judge(&spec, facts, Author::User, findings);
    judge_name_label(&spec.at("template").at("metadata").at("labels"), findings);
    scale_from_zero::judge(deployment, facts, findings);
    if let Some(old) = old {
        selector_change::judge(&spec, old, findings);
    }
}

fn judge_deadline(spec: &Field<'_>, findings: &mut Findings) {
    let deadline = spec.at("progressDeadlineSeconds");
    count::judge(&deadline, 1, "a number of seconds", findings);
    let seconds = |field: &Field<'_>| field.value().and_then(Value::as_i64);
    if let (Some(deadline_in), Some(ready_after)) = (seconds(&deadline), seconds(&spec.at("minReadySeconds")))
        && (1..=ready_after).contains(&deadline_in)
    {
        let text = format!(
            "{deadline_in} is not more than minReadySeconds, {ready_after}; every rollout may count as stuck"
        );
        findings.warn(rules::DEADLINE_AFTER_READY, &deadline, text);
    }
}

fn judge_rollback(spec: &Field<'_>, findings: &mut Findings) {
    let is_paused = spec.at("paused").flag(findings) == Some(true);
    let rollback = spec.at("rollbackTo");
    if rollback.map(findings).is_none() {
        return;
    }
    known_fields::judge(&rollback, &known_fields::ROLLBACK, findings);
    count::judge(&rollback.at("revision"), 0, "a revision", findings);
    if is_paused {
        findings.warn(
            rules::ROLLBACK_WHILE_PAUSED,
            &rollback,
            "waits while spec.paused is true; nothing goes back until then",
        );
    }
}

/// Machines are counted against failures together by this label.
fn judge_name_label(labels: &Field<'_>, findings: &mut Findings) {
    let name = labels.key(labels::DEPLOYMENT_NAME);
    if labels.value().is_some_and(Value::is_object) && name.value().is_none() {
        let text = "is not set; write the name of the deployment, by which failed machines are replaced a few at a time and metrics \
                    are grouped";
        findings.warn(rules::NAME_LABEL, &name, text);
    }
}
