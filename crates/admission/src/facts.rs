//! What is known of other objects. Gathered by the caller; never a reason to refuse, because the
//! other object may be the next document of the same file.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Facts about the namespace of the request.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Which MachineClasses there are.
    pub classes: Classes,
}

/// The MachineClasses of a namespace.
#[derive(Clone, Debug, Default)]
pub enum Classes {
    /// Nobody looked.
    #[default]
    NotKnown,
    /// Exactly these names.
    Known(Arc<BTreeSet<String>>),
}
