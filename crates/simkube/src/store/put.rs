//! Writes past the endpoints' rules: all of an object at once, by the one who runs the simulation.

use serde_json::{Value, json};

use super::{Caller, Store, Target, tidy::tidy, update};
use crate::{kind::StatusRule, object, refusal::Refusal};

impl Store {
    /// Makes an object what is wanted, status included, or makes it.
    pub(crate) fn put(&mut self, by: &Caller, at: &Target, mut wanted: Value) -> Result<Value, Refusal> {
        tidy(at.kind, &mut wanted);
        let Some(existing) = self.get(at) else {
            return self.put_first(by, at, wanted);
        };
        object::set_revision(&mut wanted, object::revision(&existing));
        object::put(&mut wanted, "uid", existing["metadata"].get("uid").cloned());
        object::put(&mut wanted, "generation", existing["metadata"].get("generation").cloned());
        let mut compared = Value::clone(&existing);
        if at.kind.status != StatusRule::None {
            update::set_top(&mut compared, "status", wanted.get("status").cloned());
        }
        update::count_generation(at.kind, &compared, &mut wanted);
        update::keep_system_fields(&existing, &mut wanted);
        Ok(self.settle(by, at, "", &existing, wanted))
    }

    fn put_first(&mut self, by: &Caller, at: &Target, mut wanted: Value) -> Result<Value, Refusal> {
        let status = wanted.get("status").cloned();
        object::put(&mut wanted, "resourceVersion", None);
        let mut target = at.clone();
        if target.name.is_empty() {
            target.name = self.next_name(object::meta(&wanted, "generateName"));
        }
        let deletion = wanted["metadata"].get("deletionTimestamp").cloned();
        self.stamp(by, &target, &mut wanted);
        if let Some(deletion) = deletion {
            object::put(&mut wanted, "deletionTimestamp", Some(deletion));
            object::put(&mut wanted, "deletionGracePeriodSeconds", Some(json!(0)));
        }
        if let Some(status) = status {
            wanted["status"] = status;
        }
        let made = self.commit(by, &target, "", Some(wanted));
        Ok(made.map_or(Value::Null, |made| Value::clone(&made)))
    }

    /// Takes an object away, whatever it waits for.
    pub(crate) fn take(&mut self, by: &Caller, at: &Target) -> bool {
        let existing = self.get(at);
        existing.map(|existing| self.remove(by, at, &existing)).is_some()
    }
}
