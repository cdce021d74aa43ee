//! Rules of a Machine.

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::machine_spec;

/// All mistakes of a Machine.
pub(crate) fn judge(machine: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    machine_spec::judge(&machine.at("spec"), facts, findings);
}
