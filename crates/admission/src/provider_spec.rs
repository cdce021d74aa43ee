//! The provider's part of a class: first its schema, then the rules a schema can't express. Both see its keys as the schema spells
//! them; its author is told of fields as he wrote them.

use millwright_api::ClassNodeTemplate;
use millwright_provider::{ClassView, Dialect, FieldError};
use serde::Deserialize as _;
use serde_json::Value;

use crate::field::Field;
use crate::findings::{Findings, MOST};
use crate::rulebook::ProviderRules;
use crate::spec_path::as_written;
use crate::{Request, schema_errors, unknown_keys};

const FIELD: &str = "providerSpec";

/// All mistakes in `providerSpec` of a class that has one.
pub(crate) fn judge(
    class: &Field<'_>,
    old: Option<&Value>,
    request: &Request<'_>,
    provider: ProviderRules<'_>,
    findings: &mut Findings,
) {
    let Some(written) = class.at(FIELD).value() else { return };
    let canonical = provider.canonical(written);
    let spec = canonical.as_ref();
    unknown_keys::warn(spec, written, provider, findings);
    let by_schema = schema_errors::judge(spec, provider.schema);

    let template = class.at("nodeTemplate").value().and_then(read_template);
    let old_template = old.and_then(|old| old.get("nodeTemplate")).and_then(read_template);
    let view = |spec, node_template| ClassView {
        dialect: Dialect::Gardener,
        name: request.name,
        namespace: request.namespace,
        spec,
        node_template,
    };
    let old_spec = old
        .filter(|old| is_of(old, provider))
        .and_then(|old| old.get(FIELD))
        .map(|spec| provider.canonical(spec));
    let old_view = old_spec.as_deref().map(|spec| view(spec, old_template.as_ref()));
    let typed = provider.rules.validate(&view(spec, template.as_ref()), old_view.as_ref());

    // What the schema said about a field, a typed rule need not say again; nor that it could not read a
    // spec whose mistakes are listed already.
    let said = |field: &str| field == FIELD || by_schema.iter().any(|error| error.field == field);
    let fresh = typed.into_iter().take(MOST).filter(|error| by_schema.is_empty() || !said(&error.field));
    let fresh: Vec<_> = fresh.collect();
    let told = fresh.into_iter().chain(by_schema);
    findings.take_errors(
        told.map(|error| FieldError { field: as_written(&error.field, FIELD, written), ..error }),
    );
}

fn read_template(template: &Value) -> Option<ClassNodeTemplate> {
    ClassNodeTemplate::deserialize(template).ok()
}

/// A class that belonged to another provider has no old state that this one could read.
fn is_of(class: &Value, provider: ProviderRules<'_>) -> bool {
    let name = class.get("provider").and_then(Value::as_str).unwrap_or_default();
    provider.rules.names().iter().any(|known| known.eq_ignore_ascii_case(name))
}
