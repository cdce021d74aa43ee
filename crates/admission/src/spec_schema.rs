//! A provider's JSON schema: compiled for judging, and as a document for telling.

use jsonschema::Validator;
use serde_json::Value;

/// One compiled schema.
pub(crate) struct SpecSchema {
    pub(crate) validator: Validator,
    pub(crate) document: Value,
}

impl SpecSchema {
    /// Compiles a schema, or says why it is none.
    pub(crate) fn compile(document: Value) -> Result<Self, String> {
        let validator = jsonschema::validator_for(&document).map_err(|error| error.to_string())?;
        Ok(Self { validator, document })
    }

    /// The schema at a place of the document, behind references within it.
    pub(crate) fn resolve<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        // Chains of references are short; a loop of them must end too.
        for _ in 0..8 {
            let target =
                schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
            match target.and_then(|pointer| self.document.pointer(pointer)) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}
