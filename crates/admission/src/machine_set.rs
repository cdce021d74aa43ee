//! Rules of a MachineSet.

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::{count, template};

/// All mistakes of a MachineSet.
pub(crate) fn judge(set: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    let spec = set.at("spec");
    if spec.value().is_some() && spec.map(findings).is_none() {
        return;
    }
    judge_counts(&spec, findings);
    template::judge(&spec, facts, findings);
}

/// The counts that sets and deployments share.
pub(crate) fn judge_counts(spec: &Field<'_>, findings: &mut Findings) {
    count::judge(&spec.at("replicas"), 0, "the number of machines", findings);
    count::judge(&spec.at("minReadySeconds"), 0, "a number of seconds", findings);
    count::judge(&spec.at("autoPreserveFailedMachineMax"), 0, "a number of machines", findings);
}
