//! The metadata of the object itself: its name, whose length machines inherit, and labels and annotations that mean something.

use serde_json::Value;

use crate::field::Field;
use crate::findings::Findings;
use crate::{Kind, marks, metadata, rules, syntax};

/// What a label value or a host name may have.
const LONGEST_NAME: usize = 63;
/// `-` and five random characters, with which a set names its machines.
const MACHINE_SUFFIX: usize = 6;
/// `-` and five characters of a hash, with which a deployment names its sets.
const SET_SUFFIX: usize = 6;

/// Who wrote an object: what a controller copied from another object was judged there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
    User,
    Controller,
}

impl Author {
    /// By whether the object has a controlling owner.
    pub(crate) fn of(object: &Value) -> Self {
        let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        let is_controller = |owner: &Value| owner.get("controller") == Some(&Value::Bool(true));
        // The API server allows one controller; more owners than a few are nobody's.
        if owners.is_some_and(|owners| owners.iter().take(64).any(is_controller)) {
            Self::Controller
        } else {
            Self::User
        }
    }
}

/// Name, labels and annotations. With `old`, the name is not looked at: it can't change any more.
pub(crate) fn judge(
    kind: Kind,
    object: &Field<'_>,
    author: Author,
    old: Option<&Value>,
    findings: &mut Findings,
) {
    let meta = object.at("metadata");
    if meta.value().is_some() && meta.map(findings).is_none() {
        return;
    }
    metadata::judge_keys(&meta, findings);
    if old.is_none() {
        judge_name(kind, &meta, author, findings);
    }
    let mut told = Findings::default();
    marks::judge(kind, &meta, &mut told);
    // Sets get the annotations of their deployment at any time, machines those of their set when they are made.
    let copied = author == Author::Controller && (kind == Kind::MachineSet || old.is_none());
    findings.join(if copied { told.only_told() } else { told });
}

fn judge_name(kind: Kind, meta: &Field<'_>, author: Author, findings: &mut Findings) {
    let (name, prefix) = (meta.at("name"), meta.at("generateName"));
    let text = name.text(findings).filter(|text| !text.is_empty());
    let Some(text) = text else {
        if name.value().is_none_or(Value::is_string) && prefix.text(findings).is_none_or(str::is_empty) {
            findings.required(rules::OBJECT_NAME, &name, "must be set to the name of the object");
        }
        return;
    };
    if let Err(reason) = syntax::dns_subdomain(text) {
        findings.invalid(rules::OBJECT_NAME, &name, format!("{text:?} {reason}"));
        return;
    }
    let added = match kind {
        Kind::MachineClass => return,
        Kind::Machine => 0,
        Kind::MachineSet => MACHINE_SUFFIX,
        Kind::MachineDeployment => SET_SUFFIX + MACHINE_SUFFIX,
    };
    let most = LONGEST_NAME - added;
    if text.len() <= most {
        return;
    }
    let detail = format!(
        "has {} characters; machines get {added} more, and their names are host names and values of labels, which end at \
         {LONGEST_NAME}: write at most {most}",
        text.len()
    );
    match author {
        Author::User => findings.invalid(rules::NAME_LENGTH, &name, detail),
        Author::Controller => findings.warn(rules::NAME_LENGTH, &name, detail),
    }
}
