//! From texts to findings: two passes, because an object may name what comes in a later file.

mod tally;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use json_patch::Patch;
use millwright_admission::{Change, Decision, Request, Rulebook, review};
use millwright_provider::{Rule, RuleId, Severity};
use serde_json::Value;

use crate::facts::FileFacts;
use crate::finding::{Finding, Subject};
use crate::fleet::Fleet;
use crate::object::{Object, Seen, objects};
use crate::place_of::place_of;
use crate::rules::{KEY_UNIQUE, KIND, OBJECT_UNIQUE, SYNTAX, UNKNOWN_FIELD};
use crate::schema::{self, Crds};
use crate::sources::Source;
use crate::yaml::{Document, Flaw, Node, Place, documents};

pub(crate) use tally::Tally;

/// What came out.
pub(crate) struct Judgement {
    /// By file in the order given, then by place.
    pub(crate) findings: Vec<Finding>,
    pub(crate) tally: Tally,
}

/// Judges all files together. `namespace` is for objects that name none; empty when nobody said.
pub(crate) fn judge(sources: Vec<Source>, namespace: &str, rulebook: &Rulebook, crds: &Crds) -> Judgement {
    let mut reading = Reading::default();
    for source in sources {
        reading.source(source, namespace);
    }
    let Reading { objects, fleets, mut findings, mut tally, .. } = reading;
    for found in &objects {
        tally.objects += 1;
        if let Some(fleet) = fleets.get(&found.object.subject.namespace) {
            findings.extend(
                found
                    .judge(&FileFacts(fleet), rulebook, crds)
                    .into_iter()
                    .map(|finding| (found.order, finding)),
            );
        }
    }
    findings.sort_by(|(a_order, a), (b_order, b)| {
        (a_order, a.place, &a.field).cmp(&(b_order, b.place, &b.field))
    });
    let findings: Vec<Finding> = findings.into_iter().map(|(_, finding)| finding).collect();
    tally.count(&findings);
    Judgement { findings, tally }
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    objects: Vec<Found>,
    /// By namespace.
    fleets: BTreeMap<String, Fleet>,
    /// With the number of the file.
    findings: Vec<(usize, Finding)>,
    first: HashMap<Rc<Subject>, (Rc<str>, Place)>,
    tally: Tally,
}

/// An object and where it came from.
struct Found {
    file: Rc<str>,
    order: usize,
    object: Object,
}

impl Reading {
    fn source(&mut self, source: Source, namespace: &str) {
        let file = source.name;
        self.tally.files += 1;
        match source.text {
            Err(flaw) => self.flaw(&file, flaw),
            Ok(text) => {
                for document in documents(&text) {
                    match document {
                        Err(flaw) => self.flaw(&file, flaw),
                        Ok(document) => self.document(&file, &document, namespace),
                    }
                }
            }
        }
    }

    fn flaw(&mut self, file: &Rc<str>, flaw: Flaw) {
        self.push(file, flaw.place, None, SYNTAX, "", flaw.message);
    }

    fn document(&mut self, file: &Rc<str>, document: &Document, namespace: &str) {
        let mut of_ours = Vec::new();
        for seen in objects(&document.root, namespace) {
            match seen {
                Seen::Ours(object) => {
                    of_ours.push(Rc::clone(&object.subject));
                    self.object(file, object);
                }
                Seen::Stranger { subject, node, field, message } => {
                    let subject = Rc::new(subject);
                    of_ours.push(Rc::clone(&subject));
                    self.push(file, place_of(&node, field), Some(subject), KIND, field, message);
                }
                Seen::Secret { subject, node } => {
                    self.tally.others += 1;
                    self.fleets.entry(subject.namespace).or_default().add_secret(&subject.name, &node);
                }
                Seen::Other => self.tally.others += 1,
            }
        }
        let Some(subject) = of_ours.first() else { return };
        let subject = (of_ours.len() == 1).then_some(subject);
        for twice in &document.repeated {
            let message = format!(
                "key {:?} stands in line {} already; kubectl takes the last one and says nothing",
                twice.key, twice.first
            );
            self.push(file, twice.place, subject.cloned(), KEY_UNIQUE, "", message);
        }
    }

    fn object(&mut self, file: &Rc<str>, object: Object) {
        let subject = &object.subject;
        let place = place_of(&object.node, "metadata.name");
        if subject.name.is_empty() {
            // It has no identity yet, and admission says whether it may be so.
        } else if let Some((other, at)) = self.first.get(subject) {
            let message = format!("is in {other}:{} too; keep one of the two", at.line);
            self.push(file, place, Some(Rc::clone(subject)), OBJECT_UNIQUE, "metadata.name", message);
        } else {
            self.first.insert(Rc::clone(subject), (Rc::clone(file), place));
        }
        self.fleets.entry(subject.namespace.clone()).or_default().add(&object);
        self.objects.push(Found { file: Rc::clone(file), order: self.tally.files, object });
    }

    fn push(
        &mut self,
        file: &Rc<str>,
        place: Place,
        subject: Option<Rc<Subject>>,
        rule: Rule,
        field: &str,
        message: String,
    ) {
        let (file, field, rule) = (Rc::clone(file), field.to_owned(), rule.id);
        let finding = Finding { file, place, subject, field, rule, severity: Severity::Error, message };
        self.findings.push((self.tally.files, finding));
    }
}

impl Found {
    fn judge(&self, facts: &FileFacts<'_>, rulebook: &Rulebook, crds: &Crds) -> Vec<Finding> {
        let Object { kind, subject, node, json } = &self.object;
        let change = Change::Create { new: json };
        let (name, namespace) = (&subject.name, &subject.namespace);
        let request = Request { kind: *kind, name, namespace, field_manager: None, change };
        let Decision { patch, errors, warnings } = review(&request, facts, rulebook);
        let by_schema = schema::judge(&patched(json, patch), *kind, crds);
        let by_schema = by_schema.into_iter().filter(|mistake| {
            !errors.iter().any(|error| {
                is_within(&mistake.field, &error.field) || is_within(&error.field, &mistake.field)
            })
        });
        let told = by_schema
            .map(|mistake| self.finding(node, mistake.field, mistake.rule, Severity::Error, mistake.text))
            .collect::<Vec<_>>();
        let errors = errors
            .into_iter()
            .map(|error| self.finding(node, error.field, error.rule, Severity::Error, error.detail));
        let warnings = warnings
            .into_iter()
            .map(|warning| self.finding(node, warning.field, warning.rule, Severity::Warning, warning.text))
            // The webhook only warns of a field that the API server refuses for kubectl.
            .filter(|warning| {
                !told.iter().any(|error| error.rule == UNKNOWN_FIELD.id && error.place == warning.place)
            })
            .collect::<Vec<_>>();
        errors.chain(warnings).chain(told).collect()
    }

    fn finding(
        &self,
        node: &Node,
        field: String,
        rule: RuleId,
        severity: Severity,
        message: String,
    ) -> Finding {
        let (file, subject) = (Rc::clone(&self.file), Some(Rc::clone(&self.object.subject)));
        Finding { file, place: place_of(node, &field), subject, field, rule, severity, message }
    }
}

/// The object with its defaults, which is what the API server holds against the CRD.
fn patched(object: &Value, patch: Option<Patch>) -> Cow<'_, Value> {
    let Some(patch) = patch else { return Cow::Borrowed(object) };
    let mut after = object.clone();
    match json_patch::patch(&mut after, &patch) {
        Ok(()) => Cow::Owned(after),
        // It was made for this object.
        Err(_) => Cow::Borrowed(object),
    }
}

/// Whether a field is another one or below it.
fn is_within(field: &str, above: &str) -> bool {
    field.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
