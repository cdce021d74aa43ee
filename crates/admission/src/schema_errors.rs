//! What a JSON schema finds wrong with a provider spec, told as field errors: which value, what is
//! allowed, and the schema's own words about the field.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use millwright_provider::{FieldError, FieldErrorKind, Rule};
use serde_json::Value;

use crate::findings::MOST;
use crate::nearest::suggestion;
use crate::rules;
use crate::shown::{choices, shown};
use crate::spec_path::{from_pointer, push_key};
use crate::spec_schema::SpecSchema;

/// Where the spec stands in a class.
pub(crate) const FIELD: &str = "providerSpec";

/// Every mistake the schema finds.
pub(crate) fn judge(spec: &Value, schema: &SpecSchema) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for error in schema.validator.iter_errors(spec).take(MOST) {
        tell(&error, spec, schema, &mut errors);
    }
    errors
}

fn tell(error: &ValidationError<'_>, spec: &Value, schema: &SpecSchema, errors: &mut Vec<FieldError>) {
    let mut field = from_pointer(FIELD, error.instance_path().as_str(), spec);
    let keyword = error.schema_path().as_str();
    let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
    let here = schema.document.pointer(parent).map(|here| schema.resolve(here));
    let (rule, kind, text) = match error.kind() {
        // Keys that nobody reads are warned about elsewhere.
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => return,
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            push_key(&mut field, name);
            let wanted = here.and_then(|here| here.pointer("/properties")?.get(name));
            let wanted = wanted.map(|wanted| schema.resolve(wanted));
            let text = format!("must be set{}{}", expected(wanted), described(wanted));
            errors.push(FieldError::new(
                rules::PROVIDER_FIELD_REQUIRED.id,
                field,
                FieldErrorKind::Required,
                text,
            ));
            return;
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            if let Some(branch) = closest(error, context) {
                branch.iter().for_each(|nested| tell(nested, spec, schema, errors));
                return;
            }
            let text = "has none of the forms that are allowed".to_owned();
            (rules::PROVIDER_FIELD_FORM, FieldErrorKind::Invalid, text)
        }
        Kind::PropertyNames { error: nested } => {
            let (rule, kind, text) = mistake(nested.kind(), nested.instance());
            (rule, kind, format!("key {text}"))
        }
        other => mistake(other, error.instance()),
    };
    errors.push(FieldError::new(rule.id, field, kind, format!("{text}{}", described(here))));
}

/// What is wrong with a value on its own.
fn mistake(kind: &Kind, value: &Value) -> (Rule, FieldErrorKind, String) {
    let shown = shown(value);
    let invalid = |rule: Rule, text: String| (rule, FieldErrorKind::Invalid, text);
    match kind {
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let near = value.as_str().map(|text| suggestion(text, options.iter().filter_map(Value::as_str)));
            let text = format!("{shown} is not one of {}{}", choices(options), near.unwrap_or_default());
            (rules::PROVIDER_FIELD_CHOICE, FieldErrorKind::NotSupported, text)
        }
        Kind::Constant { expected_value } => {
            let text = format!("{shown} must be {}", crate::shown::shown(expected_value));
            (rules::PROVIDER_FIELD_CHOICE, FieldErrorKind::NotSupported, text)
        }
        Kind::Type { kind } => {
            invalid(rules::PROVIDER_FIELD_TYPE, format!("{shown} is not {}", type_names(kind)))
        }
        Kind::Minimum { limit } => {
            invalid(rules::PROVIDER_FIELD_RANGE, format!("{shown} is too small; the least is {limit}"))
        }
        Kind::Maximum { limit } => {
            invalid(rules::PROVIDER_FIELD_RANGE, format!("{shown} is too large; the most is {limit}"))
        }
        Kind::ExclusiveMinimum { limit } => invalid(
            rules::PROVIDER_FIELD_RANGE,
            format!("{shown} is too small; it must be more than {limit}"),
        ),
        Kind::ExclusiveMaximum { limit } => invalid(
            rules::PROVIDER_FIELD_RANGE,
            format!("{shown} is too large; it must be less than {limit}"),
        ),
        Kind::MinLength { limit: 1 } => {
            (rules::PROVIDER_FIELD_REQUIRED, FieldErrorKind::Required, "must not be empty".to_owned())
        }
        Kind::MinLength { limit } => invalid(
            rules::PROVIDER_FIELD_LENGTH,
            format!("{shown} is too short; write at least {limit} characters"),
        ),
        Kind::MaxLength { limit } => invalid(
            rules::PROVIDER_FIELD_LENGTH,
            format!("{shown} is too long; write at most {limit} characters"),
        ),
        Kind::MinItems { limit: 1 } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, "must hold at least one item".to_owned())
        }
        Kind::MinItems { limit } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, format!("must hold at least {limit} items"))
        }
        Kind::MaxItems { limit: 1 } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, "must hold at most one item".to_owned())
        }
        Kind::MaxItems { limit } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, format!("must hold at most {limit} items"))
        }
        Kind::MinProperties { limit: 1 } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, "must hold at least one key".to_owned())
        }
        Kind::MinProperties { limit } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, format!("must hold at least {limit} keys"))
        }
        Kind::MaxProperties { limit } => {
            invalid(rules::PROVIDER_FIELD_LENGTH, format!("must hold at most {limit} keys"))
        }
        Kind::UniqueItems => {
            (rules::PROVIDER_FIELD_FORM, FieldErrorKind::Duplicate, "must not hold an item twice".to_owned())
        }
        Kind::Pattern { pattern } => {
            invalid(rules::PROVIDER_FIELD_FORM, format!("{shown} does not match the pattern {pattern}"))
        }
        Kind::Format { format } => invalid(rules::PROVIDER_FIELD_FORM, format!("{shown} is no {format}")),
        Kind::FalseSchema => {
            (rules::PROVIDER_FIELD_FORM, FieldErrorKind::Forbidden, "must not be set here".to_owned())
        }
        Kind::OneOfMultipleValid { .. } => invalid(
            rules::PROVIDER_FIELD_FORM,
            "has more than one form at once; keep the fields of one".to_owned(),
        ),
        other => invalid(
            rules::PROVIDER_FIELD_FORM,
            format!("breaks the rule {:?} of the schema", other.keyword()),
        ),
    }
}

/// Of several forms, the one the user most likely meant: the right type, and the fewest mistakes.
fn closest<'a>(
    error: &ValidationError<'_>,
    context: &'a [Vec<ValidationError<'static>>],
) -> Option<&'a [ValidationError<'static>]> {
    let wrong_type = |nested: &ValidationError<'_>| {
        matches!(nested.kind(), Kind::Type { .. }) && nested.instance_path() == error.instance_path()
    };
    context
        .iter()
        .filter(|branch| !branch.is_empty() && !branch.iter().any(wrong_type))
        .min_by_key(|branch| branch.len())
        .map(Vec::as_slice)
}

/// What a field that is missing should hold.
fn expected(schema: Option<&Value>) -> String {
    let Some(schema) = schema else { return String::new() };
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return format!(" to one of {}", choices(options));
    }
    let type_ = schema.get("type").and_then(Value::as_str).and_then(|name| name.parse::<JsonType>().ok());
    type_.map(|type_| format!(" to {}", type_name(type_))).unwrap_or_default()
}

/// The schema's own words about a field.
fn described(schema: Option<&Value>) -> String {
    let words = schema.and_then(|schema| schema.get("description")).and_then(Value::as_str);
    words.map(|words| format!(" ({})", words.trim_end_matches('.'))).unwrap_or_default()
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(type_) => type_name(*type_).to_owned(),
        // Null says that nothing was written, which nobody is advised to write.
        TypeKind::Multiple(types) => {
            let types = types.iter().filter(|type_| *type_ != JsonType::Null);
            types.map(type_name).collect::<Vec<_>>().join(" or ")
        }
    }
}

const fn type_name(type_: JsonType) -> &'static str {
    match type_ {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "a list",
        JsonType::Object => "an object",
    }
}
