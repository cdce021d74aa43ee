//! Resource quantities, written as text or as a bare number.

use serde::{Deserialize, Deserializer, Serialize};

/// A quantity as it stands in the object, such as `4` or `16Gi`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Quantity(pub String);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Self(text),
            serde_json::Value::Null => Self::default(),
            other => Self(other.to_string()),
        })
    }
}

impl Quantity {
    /// The same amount, in whatever words: `1000m` is `1`, `1Ki` is `1024`. What is no amount is the same as its own text only.
    #[must_use]
    pub fn is_same_amount(&self, other: &Self) -> bool {
        self.0 == other.0 || nanos(&self.0).is_some_and(|amount| Some(amount) == nanos(&other.0))
    }
}

/// The amount in billionths, the finest that Kubernetes keeps; `None` for what is no amount, is finer or is too large.
fn nanos(text: &str) -> Option<i128> {
    let digits = text.trim_start_matches(['+', '-']);
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
    let (tens, twos) = scale(suffix)?;
    let tens = tens.checked_add(9)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let scaled = mantissa.checked_mul(1_i128.checked_shl(twos)?)?;
    let power = 10_i128.checked_pow(tens.unsigned_abs())?;
    let amount =
        if tens >= 0 { scaled.checked_mul(power)? } else { (scaled % power == 0).then(|| scaled / power)? };
    Some(if text.starts_with('-') { -amount } else { amount })
}

/// Powers of ten and of two that a suffix stands for.
fn scale(suffix: &str) -> Option<(i32, u32)> {
    Some(match suffix {
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "" => (0, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 10),
        "Mi" => (0, 20),
        "Gi" => (0, 30),
        "Ti" => (0, 40),
        "Pi" => (0, 50),
        "Ei" => (0, 60),
        exponent => (exponent.strip_prefix(['e', 'E'])?.parse().ok()?, 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_the_same_in_whatever_words() {
        for (a, b, want) in [
            ("1", "1000m", true),
            ("1Ki", "1024", true),
            ("1.5Gi", "1536Mi", true),
            ("2e3", "2k", true),
            ("0.5", "500m", true),
            ("1.50", "1.5", true),
            ("-1", "1", false),
            ("1", "1Ki", false),
            ("16Gi", "16G", false),
            ("100E", "100000P", true),
            ("lots", "lots", true),
            ("lots", "more", false),
            ("", "0", false),
            ("1e99999", "1e99998", false),
        ] {
            assert_eq!(Quantity(a.into()).is_same_amount(&Quantity(b.into())), want, "{a:?} {b:?}");
            assert_eq!(Quantity(b.into()).is_same_amount(&Quantity(a.into())), want, "{b:?} {a:?}");
        }
    }
}
