//! The Secrets a class names. Whether they exist and hold the right keys is not looked at here: the
//! webhook may not read Secrets by default.

use crate::field::Field;
use crate::findings::Findings;
use crate::{known_fields, rules, syntax, word};

/// There must be a Secret, because user data comes from one; each must have a name, and the namespace
/// of the class, because Secrets elsewhere are never read.
pub(crate) fn judge(class: &Field<'_>, namespace: &str, findings: &mut Findings) {
    let (secret, credentials) = (class.at("secretRef"), class.at("credentialsSecretRef"));
    if secret.value().is_none() && credentials.value().is_none() {
        findings.required(
            rules::SECRET_REFERENCE,
            &secret,
            "must be set to the Secret that holds the key userData and the credentials for the cloud",
        );
    }
    judge_reference(&secret, namespace, findings);
    judge_reference(&credentials, namespace, findings);
}

fn judge_reference(reference: &Field<'_>, namespace: &str, findings: &mut Findings) {
    if reference.map(findings).is_none() {
        return;
    }
    known_fields::judge(reference, &known_fields::SECRET_REFERENCE, findings);
    word::required(
        rules::SECRET_REFERENCE,
        &reference.at("name"),
        "the name of a Secret",
        syntax::dns_subdomain,
        findings,
    );
    let field = reference.at("namespace");
    if let word::Word::Is(other) = word::read(&field, findings)
        && !namespace.is_empty()
        && other != namespace
    {
        findings.invalid(
            rules::SECRET_NAMESPACE,
            &field,
            format!("{other:?} is not the namespace of the class; only Secrets in {namespace:?} are read"),
        );
    }
}
