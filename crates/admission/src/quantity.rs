//! Amounts of resources, by the grammar of Kubernetes.

use serde_json::Value;

use crate::field::Field;
use crate::findings::Findings;
use crate::rules;
use crate::shown::shown;

const SUFFIXES: [&str; 16] =
    ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// A quantity, zero or more, if it is there.
pub(crate) fn judge(field: &Field<'_>, findings: &mut Findings) {
    let Some(value) = field.value() else { return };
    let number;
    let text = match value {
        Value::String(text) => text,
        Value::Number(written) => {
            number = written.to_string();
            &number
        }
        _ => {
            findings.invalid(
                rules::FIELD_TYPE,
                field,
                format!("{} is neither a string nor a number", shown(value)),
            );
            return;
        }
    };
    if let Err(reason) = read(text) {
        findings.invalid(rules::QUANTITY, field, format!("{} {reason}", shown(value)));
    }
}

/// Why a text is not an amount, zero or more.
pub(crate) fn read(text: &str) -> Result<(), &'static str> {
    const SHAPE: &str =
        "is not a quantity; write a number with an optional unit such as 500m, 4, 16Gi or 2e3";
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.matches('.').count() <= 1;
    let is_exponent = || {
        let Some(exponent) = suffix.strip_prefix(['e', 'E']) else { return false };
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && exponent.len() <= 3 && exponent.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !is_number || !(SUFFIXES.contains(&suffix) || is_exponent()) {
        return Err(SHAPE);
    }
    let is_zero = number.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if text.starts_with('-') && !is_zero {
        return Err("is negative; write an amount, 0 or more");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn amounts_are_read_as_kubernetes_reads_them() {
        for good in
            ["0", "4", "500m", "16Gi", "1.5", ".5", "5.", "+1", "-0", "2e3", "2E-3", "1e+2", "100k", "3E"]
        {
            assert_eq!(read(good), Ok(()), "{good:?}");
        }
        for bad in [
            "", "-1", "lots", "4 Gi", "4gb", "1Kib", "1.2.3", ".", "Gi", "1e", "1e1.5", "0x10", "−1",
            "1e99999",
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
