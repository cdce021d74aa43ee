//! Whole numbers with a least value, within the 32 bits that they have in the API.

use crate::field::Field;
use crate::findings::Findings;
use crate::rules;

/// A number that must be at least `least`, if it is there; `meaning` completes "write …".
pub(crate) fn judge(field: &Field<'_>, least: i64, meaning: &str, findings: &mut Findings) {
    let Some(count) = field.integer(findings) else { return };
    if count < least {
        findings.invalid(
            rules::COUNT,
            field,
            format!("{count} is too small; write {meaning}, {least} or more"),
        );
    } else if count > i64::from(i32::MAX) {
        findings.invalid(
            rules::COUNT,
            field,
            format!("{count} is too large; write {meaning}, at most {}", i32::MAX),
        );
    }
}
