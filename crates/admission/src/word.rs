//! A text field that must be there: absent and empty are the same mistake, another type is another.

use millwright_provider::Rule;

use crate::field::Field;
use crate::findings::Findings;

/// What stands in a field that should hold a text.
pub(crate) enum Word<'a> {
    /// Nothing, or the empty text that Go writes for nothing.
    Missing,
    /// A text.
    Is(&'a str),
    /// Something else, which has been reported.
    NoText,
}

/// Reads the field, reporting what is no text.
pub(crate) fn read<'a>(field: &Field<'a>, findings: &mut Findings) -> Word<'a> {
    match field.text(findings) {
        Some("") => Word::Missing,
        Some(text) => Word::Is(text),
        None if field.value().is_none() => Word::Missing,
        None => Word::NoText,
    }
}

/// A text that must be one of `allowed`; the one it is.
pub(crate) fn choice<'a>(
    rule: Rule,
    field: &Field<'a>,
    allowed: &[&str],
    findings: &mut Findings,
) -> Option<&'a str> {
    match read(field, findings) {
        Word::Is(text) if allowed.contains(&text) => return Some(text),
        Word::Is(text) => {
            let near = crate::nearest::suggestion(text, allowed.iter().copied());
            findings.not_supported(
                rule,
                field,
                format!("{text:?} is not one of {}{near}", allowed.join(", ")),
            );
        }
        Word::Missing => findings.required(rule, field, format!("must be one of {}", allowed.join(", "))),
        Word::NoText => {}
    }
    None
}

/// A text that must be there and well formed; `meaning` completes "must be set to …".
pub(crate) fn required<'a>(
    rule: Rule,
    field: &Field<'a>,
    meaning: &str,
    well_formed: impl FnOnce(&str) -> Result<(), &'static str>,
    findings: &mut Findings,
) -> Option<&'a str> {
    match read(field, findings) {
        Word::Is(text) => match well_formed(text) {
            Ok(()) => return Some(text),
            Err(reason) => findings.invalid(rule, field, format!("{text:?} {reason}")),
        },
        Word::Missing => findings.required(rule, field, format!("must be set to {meaning}")),
        Word::NoText => {}
    }
    None
}
