//! What a word means, by the rules of the decoder in kubectl: YAML 1.1 but for numbers with colons, and as JSON afterwards.

use serde_json::{Number, Value};

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without quotes, so that its form says what it is.
    Plain,
    /// With quotes or as a block: a text.
    Text,
}

/// The value of a scalar with its tag of YAML's own (`str`, `int`, …), or what is wrong with it.
pub(crate) fn resolve(text: &str, style: Style, tag: Option<&str>) -> Result<Value, String> {
    let wanted = match (tag, style) {
        (None, Style::Plain) => return plain(text).map(Resolved::into_json)?,
        (None | Some("str" | "binary" | "timestamp"), _) => return Ok(Value::String(text.to_owned())),
        (Some(tag @ ("int" | "float" | "bool" | "null")), _) => tag,
        // Tags of others say nothing to kubectl.
        (Some(_), _) => return Ok(Value::String(text.to_owned())),
    };
    let resolved = plain(text)?;
    let is = match &resolved {
        Resolved::Null => "null",
        Resolved::Flag(_) => "bool",
        Resolved::Whole(_) => "int",
        Resolved::Broken(_) => "float",
        Resolved::Text(_) => "str",
    };
    match (wanted, is) {
        ("float", "int") => resolved.into_json(),
        (wanted, is) if wanted == is => resolved.into_json(),
        (wanted, _) => Err(format!("the value can't be read as !!{wanted}")),
    }
}

enum Resolved {
    Null,
    Flag(bool),
    Whole(Number),
    Broken(f64),
    Text(String),
}

impl Resolved {
    fn into_json(self) -> Result<Value, String> {
        Ok(match self {
            Self::Null => Value::Null,
            Self::Flag(flag) => Value::Bool(flag),
            Self::Whole(number) => Value::Number(number),
            Self::Broken(number) => number_of(number)?,
            Self::Text(text) => Value::String(text),
        })
    }
}

fn plain(text: &str) -> Result<Resolved, String> {
    Ok(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Resolved::Flag(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Resolved::Flag(false)
        }
        "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf"
        | "-.Inf" | "-.INF" => {
            return Err(format!("{text} is no number in JSON; put it in quotes if it is a text"));
        }
        _ if text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) => {
            number(text).unwrap_or_else(|| Resolved::Text(text.to_owned()))
        }
        _ => Resolved::Text(text.to_owned()),
    })
}

fn number(text: &str) -> Option<Resolved> {
    let joined = text.replace('_', "");
    if !text.starts_with('.')
        && let Some(whole) = whole(&joined)
    {
        return Some(Resolved::Whole(whole));
    }
    let broken = joined.parse().ok().filter(|number: &f64| number.is_finite());
    broken.filter(|_| has_form_of_float(&joined)).map(Resolved::Broken)
}

/// As Go's ParseInt with base 0 reads it: the prefix says the base, and a 0 alone means octal.
fn whole(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = [("0x", 16), ("0b", 2), ("0o", 8)]
        .into_iter()
        .find_map(|(prefix, base)| lower.strip_prefix(prefix).map(|rest| (base, rest)))
        .unwrap_or_else(|| match lower.strip_prefix('0') {
            Some(rest) if !rest.is_empty() => (8, rest),
            _ => (10, lower.as_str()),
        });
    // A second sign would be taken by the parser below.
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    let amount = u64::from_str_radix(digits, base).ok()?;
    if !negative {
        return Some(amount.into());
    }
    0_i64.checked_sub_unsigned(amount).map(Number::from)
}

/// Sign, digits with at most one point and at least one digit, exponent.
fn has_form_of_float(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(before)
        && digits(after)
        && !(before.is_empty() && after.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

/// Go writes a number without a fraction without a point, and so it is a whole number to the API server.
fn number_of(number: f64) -> Result<Value, String> {
    #[expect(clippy::cast_possible_truncation, reason = "only where nothing is lost")]
    let whole = (number.fract() == 0.0 && number.abs() < 9.0e18).then_some(number as i64);
    match whole {
        Some(whole) => Ok(whole.into()),
        None => {
            Number::from_f64(number).map(Value::Number).ok_or_else(|| "the number is too large".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_words_mean_what_they_mean_to_kubectl() {
        for (text, want) in [
            ("yes", json!(true)),
            ("on", json!(true)),
            ("Off", json!(false)),
            ("n", json!(false)),
            ("nO", json!("nO")),
            ("", json!(null)),
            ("~", json!(null)),
            ("012", json!(10)),
            ("0o12", json!(10)),
            ("08", json!(8)),
            ("0x1F", json!(31)),
            ("0b101", json!(5)),
            ("-0b101", json!(-5)),
            ("1_000", json!(1000)),
            ("+3", json!(3)),
            ("+-3", json!("+-3")),
            ("-", json!("-")),
            ("3.0", json!(3)),
            ("1e3", json!(1000)),
            ("1e", json!("1e")),
            ("1e400", json!("1e400")),
            (".5", json!(0.5)),
            (".", json!(".")),
            ("1.2.3", json!("1.2.3")),
            ("12:30", json!("12:30")),
            ("2001-01-01", json!("2001-01-01")),
            ("25%", json!("25%")),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("-9223372036854775808", json!(i64::MIN)),
        ] {
            assert_eq!(resolve(text, Style::Plain, None).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn quotes_and_tags_come_before_the_form() {
        assert_eq!(resolve("yes", Style::Text, None).unwrap(), json!("yes"));
        assert_eq!(resolve("12", Style::Plain, Some("str")).unwrap(), json!("12"));
        assert_eq!(resolve("12", Style::Text, Some("int")).unwrap(), json!(12));
        assert_eq!(resolve("12", Style::Plain, Some("float")).unwrap(), json!(12));
        assert!(resolve("x", Style::Plain, Some("int")).is_err());
        assert!(resolve(".inf", Style::Plain, None).is_err());
    }
}
