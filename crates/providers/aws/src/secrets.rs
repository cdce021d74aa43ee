//! The Secret's keys: who calls, and user data.
//!
//! There are three ways to prove oneself: an access key, a token that a role trusts, and the role of the VM on which the controller
//! runs. The last is only used when the Secret asks for it.

use millwright_provider::{Credentials, FieldError, FieldErrorKind, Requirement, Rule, SecretKey, UserData};

use crate::login::{Login, LoginMistake};
use crate::rule_list;

pub(crate) const ACCESS_KEY_ID: &str = "providerAccessKeyId";
pub(crate) const ACCESS_KEY_ID_ALIAS: &str = "accessKeyID";
pub(crate) const SECRET_ACCESS_KEY: &str = "providerSecretAccessKey";
pub(crate) const SECRET_ACCESS_KEY_ALIAS: &str = "secretAccessKey";
pub(crate) const TOKEN_FILE: &str = "workloadIdentityTokenFile";
pub(crate) const ROLE_ARN: &str = "roleARN";
pub(crate) const EXTERNAL_ID: &str = "roleExternalID";
pub(crate) const SOURCE: &str = "credentialSource";

/// The most bytes of user data that EC2 takes, before base64.
pub(crate) const USER_DATA_LIMIT: usize = 16 * 1024;

pub(crate) const KEYS: &[SecretKey] = &[
    key(
        ACCESS_KEY_ID,
        &[ACCESS_KEY_ID_ALIAS],
        Requirement::Optional,
        "id of an access key; needs its secret, and neither a token file nor another source",
    ),
    key(SECRET_ACCESS_KEY, &[SECRET_ACCESS_KEY_ALIAS], Requirement::Optional, "secret of the access key"),
    key(
        TOKEN_FILE,
        &[],
        Requirement::Optional,
        "file with a token for the role of roleARN, mounted into the controller; instead of an access key",
    ),
    key(ROLE_ARN, &[], Requirement::Optional, "role to assume, with the token or with the access key"),
    key(EXTERNAL_ID, &[], Requirement::Optional, "external id that the role asks for, with an access key"),
    key(
        SOURCE,
        &[],
        Requirement::Optional,
        "instanceMetadata: the role of the VM on which the controller runs, instead of an access key; the operator must lend it \
         with --cloud-endpoint aws.metadata=http://169.254.169.254",
    ),
    key(
        UserData::SECRET_KEY,
        &[],
        Requirement::Required,
        "cloud-config or Ignition with which the VM starts",
    ),
];

const fn key(
    name: &'static str,
    aliases: &'static [&'static str],
    requirement: Requirement,
    meaning: &'static str,
) -> SecretKey {
    SecretKey { name, aliases, requirement, meaning }
}

pub(crate) fn validate(credentials: &Credentials) -> Vec<FieldError> {
    let refused =
        |rule: Rule, key: &str, kind, detail: String| Some(FieldError::new(rule.id, key, kind, detail));
    let login = match Login::of(credentials) {
        Ok(_) => None,
        Err(LoginMistake { key, is_missing, detail }) => {
            let kind = if is_missing { FieldErrorKind::Required } else { FieldErrorKind::Invalid };
            refused(rule_list::CREDENTIALS, key, kind, detail.to_owned())
        }
    };
    let refused = |kind, detail| refused(rule_list::USER_DATA, UserData::SECRET_KEY, kind, detail);
    let user_data = match credentials.bytes(UserData::SECRET_KEY) {
        None | Some([]) => refused(
            FieldErrorKind::Required,
            "must be there, with the cloud-config or Ignition of a machine".into(),
        ),
        Some(bytes) if bytes.len() > USER_DATA_LIMIT => {
            refused(FieldErrorKind::Invalid, too_long(bytes.len()))
        }
        Some(bytes) if std::str::from_utf8(bytes).is_err() => {
            refused(FieldErrorKind::Invalid, "must be text in UTF-8".into())
        }
        Some(_) => None,
    };
    login.into_iter().chain(user_data).collect()
}

pub(crate) fn too_long(bytes: usize) -> String {
    format!("has {bytes} bytes; EC2 takes {USER_DATA_LIMIT}: let it fetch the rest")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a [u8])];

    fn credentials(pairs: Pairs<'_>) -> Credentials {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.to_vec()));
        Credentials::merge([pairs.collect::<BTreeMap<_, _>>()])
    }

    #[test]
    fn every_mistake_names_its_key_and_no_value() {
        let long = vec![b'x'; USER_DATA_LIMIT + 1];
        let token = b"/var/run/secrets/gardener.cloud/workload-identity/token".as_slice();
        let ud = ("userData", b"x".as_slice());
        let cases: [(Pairs<'_>, &[&str]); 14] = [
            (
                &[("providerAccessKeyId", b"AKIAhush\n"), ("providerSecretAccessKey", b"hush hush"), ud],
                &["providerSecretAccessKey"],
            ),
            (&[("providerAccessKeyId", b"AKIAhush\n"), ("providerSecretAccessKey", b" hush/hush"), ud], &[]),
            (&[("accessKeyID", b"AKIAhush"), ("secretAccessKey", b"hush"), ud], &[]),
            (&[("accessKeyId", b"AKIAhush"), ("secretAccessKey", b"hush"), ud], &["providerAccessKeyId"]),
            (&[("accessKeyID", b"AKIAhush"), ud], &["providerSecretAccessKey"]),
            (&[], &["providerAccessKeyId", "userData"]),
            (&[("workloadIdentityTokenFile", token), ("roleARN", b"arn:aws:iam::1:role/hush"), ud], &[]),
            (&[("workloadIdentityTokenFile", token), ud], &["roleARN"]),
            (
                &[("workloadIdentityTokenFile", b"/etc/hush"), ("roleARN", b"arn:aws:iam::1:role/r"), ud],
                &["workloadIdentityTokenFile"],
            ),
            (&[("workloadIdentityTokenFile", token), ("roleARN", b"hush"), ud], &["roleARN"]),
            (&[("credentialSource", b"instanceMetadata"), ud], &[]),
            (&[("credentialSource", b"hush"), ud], &["credentialSource"]),
            (
                &[("credentialSource", b"instanceMetadata"), ("accessKeyID", b"AKIAhush"), ud],
                &["credentialSource"],
            ),
            (
                &[("accessKeyID", b"AKIAhush"), ("secretAccessKey", b"hush"), ("userData", &long)],
                &["userData"],
            ),
        ];
        for (pairs, expected) in cases {
            let mistakes = validate(&credentials(pairs));
            let fields: Vec<&str> = mistakes.iter().map(|mistake| mistake.field.as_str()).collect();
            assert_eq!(fields, expected, "{:?}", credentials(pairs));
            assert!(!format!("{mistakes:?}").contains("hush"), "{mistakes:?}");
        }
    }
}
