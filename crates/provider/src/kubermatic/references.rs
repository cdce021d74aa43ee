//! Which Secrets and ConfigMaps a value needs.

use std::collections::BTreeSet;

use serde_json::Value;

use super::config_var::ConfigVar;
use super::{Form, Reference, Vocabulary, schema};
use crate::canonical_keys;

/// Every key that must be read before [`resolve`](super::resolve), each once. Fields of a wrong form have none; the resolver
/// names them.
///
/// A value names any namespace: whoever reads for it must decide whether its author may have that.
#[must_use]
pub fn references(value: &Value, vocabulary: &Vocabulary) -> Vec<Reference> {
    let value = canonical_keys(value, &schema(vocabulary));
    let mut all = BTreeSet::new();
    let mut take = |written: &Value| {
        if let Ok(ConfigVar::Elsewhere(reference)) = ConfigVar::read(written) {
            all.insert(reference);
        }
    };
    for field in vocabulary.fields.iter().filter(|field| field.form.takes_references()) {
        let pointer = format!("/cloudProviderSpec/{}", field.path.replace('.', "/"));
        match (value.pointer(&pointer), field.form) {
            (Some(Value::Array(items)), Form::Texts) => items.iter().for_each(&mut take),
            (Some(written), _) => take(written),
            (None, _) => {}
        }
    }
    all.into_iter().collect()
}
