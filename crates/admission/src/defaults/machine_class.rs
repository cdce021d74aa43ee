//! Defaults of a MachineClass: those of its provider, inside `providerSpec`.

use std::borrow::Cow;

use serde_json::Value;

use crate::Rulebook;
use crate::spelled_as::spelled_as;

pub(super) fn with_defaults<'a>(class: &'a Value, rulebook: &Rulebook) -> Cow<'a, Value> {
    let provider = class.get("provider").and_then(Value::as_str).and_then(|name| rulebook.find(name).ok());
    let spec = class.get("providerSpec").filter(|spec| spec.is_object());
    let (Some(provider), Some(spec)) = (provider, spec) else { return Cow::Borrowed(class) };
    let canonical = provider.canonical(spec);
    let mut filled = canonical.clone().into_owned();
    provider.rules.add_defaults(&mut filled);
    if filled == *canonical {
        return Cow::Borrowed(class);
    }
    let mut class = class.clone();
    if let Some(place) = class.get_mut("providerSpec") {
        *place = spelled_as(spec, &canonical, filled);
    }
    Cow::Owned(class)
}
