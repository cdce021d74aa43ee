//! Short questions to admission.

use std::sync::Arc;

use millwright_admission::{
    Change, Facts, Kind, Known, NoFacts, Request, Rulebook, Verdict, Warning, review, validate,
};
use millwright_api::MachineClass;
use millwright_provider::{FieldError, Registry, SpecRules};
use serde_json::Value;

use crate::cloud_rules::CloudRules;
use crate::other_rules::OtherRules;

pub(crate) fn rulebook() -> Rulebook {
    let registry = Registry::<dyn SpecRules>::default().with(Arc::new(CloudRules)).unwrap();
    Rulebook::new(registry).unwrap()
}

/// With a second provider, for classes that change theirs.
pub(crate) fn rulebook_of_two() -> Rulebook {
    let registry = Registry::<dyn SpecRules>::default().with(Arc::new(CloudRules)).unwrap();
    Rulebook::new(registry.with(Arc::new(OtherRules)).unwrap()).unwrap()
}

/// Knows that there are exactly these classes, and of each nothing but its name.
pub(crate) struct KnownClasses<'a>(pub(crate) &'a [&'a str]);

impl Facts for KnownClasses<'_> {
    fn classes(&self) -> Known<Vec<String>> {
        Known::Yes(self.0.iter().map(|&name| name.to_owned()).collect())
    }

    fn class(&self, name: &str) -> Known<Option<Arc<MachineClass>>> {
        Known::Yes(self.0.contains(&name).then(Arc::default))
    }
}

pub(crate) fn request(kind: Kind, change: Change<'_>) -> Request<'_> {
    Request { kind, name: "it", namespace: "shoot", field_manager: None, change }
}

/// What the defaults add.
pub(crate) fn patch(request: &Request<'_>) -> Option<json_patch::Patch> {
    review(request, &NoFacts, &rulebook()).patch
}

pub(crate) fn created(kind: Kind, new: &Value) -> Verdict {
    validate(&request(kind, Change::Create { new }), &NoFacts, &rulebook())
}

pub(crate) fn updated(kind: Kind, old: &Value, new: &Value) -> Verdict {
    validate(&request(kind, Change::Update { old, new }), &NoFacts, &rulebook())
}

pub(crate) fn lines(errors: &[FieldError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

pub(crate) fn told(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// Asserts that a new object has exactly these mistakes, each given as the beginning of its line.
pub(crate) fn refused(kind: Kind, new: &Value, beginnings: &[&str]) {
    let found = lines(&created(kind, new).errors);
    let fits = found.len() == beginnings.len()
        && found.iter().zip(beginnings).all(|(line, beginning)| line.starts_with(beginning));
    assert!(fits, "found {found:#?}\nwanted {beginnings:#?}");
}

/// Asserts that a new object has no mistake and nothing to warn about.
pub(crate) fn accepted(kind: Kind, new: &Value) {
    assert_eq!(created(kind, new), Verdict::default(), "{new:#}");
}
