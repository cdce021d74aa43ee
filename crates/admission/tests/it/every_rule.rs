//! For every rule at least one object that breaks it: exactly that rule, at exactly that field, and nothing else.

mod of_classes;
mod of_deployments;
mod of_machines;
mod of_sets;

use std::collections::BTreeSet;

use millwright_admission::{Change, Facts, Kind, NoFacts, RULES, UnknownProviders, validate};
use millwright_provider::Severity;
use serde_json::Value;

use crate::ask::{request, rulebook_of_two};

/// What is done to an object.
enum Write {
    Create(Value),
    Update(Value, Value),
    Delete(Value),
}

/// One broken object.
struct Case {
    rule: &'static str,
    field: &'static str,
    kind: Kind,
    write: Write,
    facts: Box<dyn Facts>,
    unknown: UnknownProviders,
}

impl Case {
    fn new(rule: &'static str, field: &'static str, kind: Kind, write: Write) -> Self {
        Self { rule, field, kind, write, facts: Box::new(NoFacts), unknown: UnknownProviders::Refused }
    }

    fn knowing(mut self, facts: impl Facts + 'static) -> Self {
        self.facts = Box::new(facts);
        self
    }

    fn beside_others(mut self) -> Self {
        self.unknown = UnknownProviders::Told;
        self
    }

    fn change(&self) -> Change<'_> {
        match &self.write {
            Write::Create(new) => Change::Create { new },
            Write::Update(old, new) => Change::Update { old, new },
            Write::Delete(old) => Change::Delete { old },
        }
    }
}

fn all() -> Vec<Case> {
    [of_classes::cases(), of_machines::cases(), of_sets::cases(), of_deployments::cases()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn each_broken_object_breaks_exactly_its_rule_at_its_field() {
    let mut wrong = Vec::new();
    for case in all() {
        let rulebook = rulebook_of_two().with_unknown_providers(case.unknown);
        let asked = millwright_admission::Request { name: "small", ..request(case.kind, case.change()) };
        let verdict = validate(&asked, &*case.facts, &rulebook);
        let errors = verdict.errors.iter().map(|error| (error.field.as_str(), error.rule, Severity::Error));
        let warnings =
            verdict.warnings.iter().map(|warning| (warning.field.as_str(), warning.rule, Severity::Warning));
        let found: Vec<_> = errors.chain(warnings).collect();
        let severity = RULES.iter().find(|rule| rule.id.as_str() == case.rule).map(|rule| rule.severity);
        let fits = matches!(found[..], [(field, rule, how)]
            if field == case.field && rule.as_str() == case.rule && Some(how) == severity);
        if !fits {
            wrong.push(format!("{} at {}: {verdict:#?}", case.rule, case.field));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_broken_object() {
    let cases: BTreeSet<&str> = all().iter().map(|case| case.rule).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(rules.len(), RULES.len(), "a rule is listed twice");
    assert_eq!(rules.difference(&cases).collect::<Vec<_>>(), Vec::<&&str>::new(), "rules without a case");
    assert_eq!(cases.difference(&rules).collect::<Vec<_>>(), Vec::<&&str>::new(), "cases without a rule");
}

#[test]
fn names_of_rules_are_words_that_explain_themselves() {
    for rule in RULES {
        let words = rule.id.as_str().split('-');
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(words.clone().all(is_word), "{}", rule.id);
        assert!(!rule.says.is_empty() && rule.says.ends_with('.') && !rule.at.is_empty(), "{}", rule.id);
    }
}

#[test]
fn an_update_that_changes_nothing_never_has_errors() {
    let rulebook = rulebook_of_two();
    for case in all() {
        let (Write::Create(object) | Write::Update(_, object) | Write::Delete(object)) = &case.write;
        let change = Change::Update { old: object, new: object };
        let verdict = validate(&request(case.kind, change), &*case.facts, &rulebook);
        assert_eq!(verdict.errors, [], "{}", case.rule);
    }
}

#[test]
fn a_finalizer_can_be_taken_from_every_broken_object() {
    let rulebook = rulebook_of_two();
    for case in all() {
        let (Write::Create(object) | Write::Update(_, object) | Write::Delete(object)) = &case.write;
        let (mut old, new) = (object.clone(), object.clone());
        old["metadata"]["finalizers"] = serde_json::json!(["a", "b"]);
        let change = Change::Update { old: &old, new: &new };
        let verdict = validate(&request(case.kind, change), &*case.facts, &rulebook);
        assert_eq!(verdict, millwright_admission::Verdict::default(), "{}", case.rule);
    }
}
