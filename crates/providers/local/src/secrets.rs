//! The Secret's keys: the cloud's API token, and user data.

use millwright_provider::{Credentials, FieldError, FieldErrorKind, Requirement, SecretKey, UserData};

use crate::rule_list;

pub(crate) const TOKEN: &str = "token";
/// The most bytes of user data that the cloud takes.
pub(crate) const USER_DATA_LIMIT: usize = 64 * 1024;

pub(crate) const KEYS: &[SecretKey] = &[
    SecretKey {
        name: TOKEN,
        aliases: &[],
        requirement: Requirement::Required,
        meaning: "API token of the simulated cloud",
    },
    SecretKey {
        name: UserData::SECRET_KEY,
        aliases: &[],
        requirement: Requirement::Required,
        meaning: "cloud-config or Ignition with which the VM starts",
    },
];

const MISSING: &str = "must be there, in UTF-8, with the API token of the simulated cloud";
const UNSENDABLE: &str =
    "must be one line of visible ASCII characters, as the simulated cloud was started with it";

/// Whether it fits into a header.
pub(crate) fn is_sendable(token: &str) -> bool {
    token.bytes().all(|byte| byte.is_ascii_graphic())
}

pub(crate) fn validate(credentials: &Credentials) -> Vec<FieldError> {
    let token = match credentials.text(TOKEN) {
        None => Some(FieldError::new(rule_list::TOKEN.id, TOKEN, FieldErrorKind::Required, MISSING)),
        Some(token) if !is_sendable(token) => {
            Some(FieldError::new(rule_list::TOKEN.id, TOKEN, FieldErrorKind::Invalid, UNSENDABLE))
        }
        Some(_) => None,
    };
    let refused = |kind, detail: String| {
        Some(FieldError::new(rule_list::USER_DATA.id, UserData::SECRET_KEY, kind, detail))
    };
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
    token.into_iter().chain(user_data).collect()
}

pub(crate) fn too_long(bytes: usize) -> String {
    format!("has {bytes} bytes; the simulated cloud takes {USER_DATA_LIMIT}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a [u8])];

    fn credentials(pairs: Pairs<'_>) -> Credentials {
        Credentials::merge([pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.to_vec()))
            .collect::<BTreeMap<_, _>>()])
    }

    #[test]
    fn every_mistake_names_its_key_and_no_value() {
        let long = vec![b'x'; USER_DATA_LIMIT + 1];
        let cases: [(Pairs<'_>, &[&str]); 6] = [
            (&[("token", b"hush-hush\n"), ("userData", b"#cloud-config")], &[]),
            (&[], &["token", "userData"]),
            (&[("token", b" "), ("userData", b"")], &["token", "userData"]),
            (&[("token", b"hush hush"), ("userData", b"x")], &["token"]),
            (&[("token", b"hush\xff"), ("userData", b"hush\xff")], &["token", "userData"]),
            (&[("token", b"hush-hush"), ("userData", &long)], &["userData"]),
        ];
        for (pairs, expected) in cases {
            let mistakes = validate(&credentials(pairs));
            let fields: Vec<&str> = mistakes.iter().map(|mistake| mistake.field.as_str()).collect();
            assert_eq!(fields, expected);
            assert!(!format!("{mistakes:?}").contains("hush"), "{mistakes:?}");
        }
    }
}
