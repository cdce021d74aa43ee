//! A place in an object: what stands there, and the path to it, which is only spelled out when
//! something is wrong. Null counts as absent, as it does for Go.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::findings::Findings;
use crate::rules;
use crate::shown::shown;

/// A field that may be absent. Looking at one allocates nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    value: Option<&'a Value>,
    step: Step<'a>,
    parent: Option<&'a Field<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    /// A field of a type: `.name`.
    Name(&'a str),
    /// A key that a user chose: `[key]`.
    Key(&'a str),
    /// A place in a list: `[0]`.
    Item(usize),
}

impl<'a> Field<'a> {
    /// The whole object; its path is empty.
    pub(crate) fn root(object: &'a Value) -> Self {
        Self { value: Some(object), step: Step::Root, parent: None }
    }

    /// A field of this one.
    pub(crate) fn at<'b>(&'b self, name: &'b str) -> Field<'b> {
        Field { value: self.member(name), step: Step::Name(name), parent: Some(self) }
    }

    /// A key of this map.
    pub(crate) fn key<'b>(&'b self, key: &'b str) -> Field<'b> {
        Field { value: self.member(key), step: Step::Key(key), parent: Some(self) }
    }

    /// A place in this list.
    pub(crate) fn item(&self, index: usize) -> Field<'_> {
        let value = self.value.and_then(|list| list.get(index));
        Field { value, step: Step::Item(index), parent: Some(self) }
    }

    /// What stands there.
    pub(crate) fn value(&self) -> Option<&'a Value> {
        self.value.filter(|value| !value.is_null())
    }

    /// The text that stands there; anything else is a mistake.
    pub(crate) fn text(&self, findings: &mut Findings) -> Option<&'a str> {
        self.typed(findings, "a string", Value::as_str)
    }

    /// The whole number that stands there; anything else is a mistake.
    pub(crate) fn integer(&self, findings: &mut Findings) -> Option<i64> {
        self.typed(findings, "a whole number", Value::as_i64)
    }

    /// The flag that stands there; anything else is a mistake.
    pub(crate) fn flag(&self, findings: &mut Findings) -> Option<bool> {
        self.typed(findings, "true or false", Value::as_bool)
    }

    /// The map that stands there; anything else is a mistake.
    pub(crate) fn map(&self, findings: &mut Findings) -> Option<&'a Map<String, Value>> {
        self.typed(findings, "an object", Value::as_object)
    }

    /// The number of items of the list that stands there; anything else is a mistake.
    pub(crate) fn items(&self, findings: &mut Findings) -> usize {
        self.typed(findings, "a list", Value::as_array).map_or(0, Vec::len)
    }

    /// The path from the object's root, such as `spec.template.metadata.labels[pool]`.
    pub(crate) fn path(&self) -> String {
        let mut path = self.parent.map(Field::path).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Name(name) if path.is_empty() => path.push_str(name),
            // Writing to a String can't fail.
            Step::Name(name) => drop(write!(path, ".{name}")),
            Step::Key(key) => drop(write!(path, "[{key}]")),
            Step::Item(index) => drop(write!(path, "[{index}]")),
        }
        path
    }

    fn member(&self, name: &str) -> Option<&'a Value> {
        self.value.and_then(|object| object.get(name))
    }

    fn typed<T>(
        &self,
        findings: &mut Findings,
        wanted: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value()?;
        let found = read(value);
        if found.is_none() {
            findings.invalid(rules::FIELD_TYPE, self, format!("{} is not {wanted}", shown(value)));
        }
        found
    }
}
