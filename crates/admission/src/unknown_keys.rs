//! Keys of a provider spec that nobody reads. Only warnings: a spec may be written for a newer or an
//! older version, and Gardener's drivers ignore such keys too.

use serde_json::Value;

use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::rulebook::ProviderRules;
use crate::schema_errors::FIELD;
use crate::spec_path::{as_written, push_item, push_key};
use crate::{Warning, rules};

/// One warning for each key the schema does not know, in any case of letters. `spec` is the canonical form of `written`.
pub(crate) fn warn(spec: &Value, written: &Value, provider: ProviderRules<'_>, findings: &mut Findings) {
    walk(spec, &provider.schema.document, &mut FIELD.to_owned(), written, provider, findings);
}

fn walk(
    value: &Value,
    schema: &Value,
    path: &mut String,
    written: &Value,
    provider: ProviderRules<'_>,
    findings: &mut Findings,
) {
    let schema = provider.schema.resolve(schema);
    let here = path.len();
    match value {
        Value::Object(fields) => {
            let known = schema.get("properties").and_then(Value::as_object);
            let others = schema.get("additionalProperties").filter(|others| others.is_object());
            for (key, field) in fields {
                push_key(path, key);
                match (known.and_then(|known| known.get(key)).or(others), known) {
                    (Some(schema), _) => walk(field, schema, path, written, provider, findings),
                    (None, Some(known)) if is_closed(schema) => {
                        let near = suggestion(key, known.keys().map(String::as_str));
                        let provider = provider.name;
                        findings.note(Warning {
                            field: as_written(path, FIELD, written),
                            rule: rules::PROVIDER_FIELD_UNKNOWN.id,
                            text: format!("provider {provider} has no such field; it is ignored{near}"),
                        });
                    }
                    (None, _) => {}
                }
                path.truncate(here);
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                push_item(path, index);
                walk(item, schema, path, written, provider, findings);
                path.truncate(here);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether the properties listed are all there are.
fn is_closed(schema: &Value) -> bool {
    let open = ["patternProperties", "anyOf", "oneOf", "allOf", "if"];
    schema.get("additionalProperties").is_none_or(|others| *others == Value::Bool(false))
        && !open.iter().any(|keyword| schema.get(keyword).is_some())
}
