//! What the API server says of an object by its CRD alone: fields that do not exist, types, ranges, what must be there. The rules in CEL
//! are not run: for a new object each of them says what a rule of admission says too.

mod crds;
mod metadata;
mod mistake;
mod walk;

use serde_json::Value;

use millwright_admission::Kind;

pub(crate) use crds::Crds;
pub(crate) use mistake::Mistake;

/// Every mistake of an object against the schema of its kind.
pub(crate) fn judge(object: &Value, kind: Kind, crds: &Crds) -> Vec<Mistake> {
    let mut walk = walk::Walk::default();
    walk.value(object, crds.schema(kind));
    walk.mistakes
}
