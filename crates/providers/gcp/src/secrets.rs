//! The Secret's keys: an identity, its project, and user data.

use millwright_provider::{Credentials, FieldError, FieldErrorKind, Requirement, SecretKey, UserData};

use crate::account::{self, AccountProblem};
use crate::rule_list;

/// Under which keys the identity's JSON may be, the first that is there counts.
pub(crate) const ACCOUNT_KEYS: [&str; 3] = ["serviceAccountJSON", "serviceaccount.json", "credentialsConfig"];
/// The key of the project that the JSON does not name.
pub(crate) const PROJECT_KEY: &str = "projectID";
/// The most bytes of user data: what Compute Engine takes as one value of metadata.
pub(crate) const USER_DATA_LIMIT: usize = 256 * 1024;

pub(crate) const KEYS: &[SecretKey] = &[
    SecretKey {
        name: ACCOUNT_KEYS[0],
        aliases: &[ACCOUNT_KEYS[1], ACCOUNT_KEYS[2]],
        requirement: Requirement::Required,
        meaning: "JSON of a service account's key or of a workload identity",
    },
    SecretKey {
        name: PROJECT_KEY,
        aliases: &[],
        requirement: Requirement::Optional,
        meaning: "project of the VMs, when the JSON names none",
    },
    SecretKey {
        name: UserData::SECRET_KEY,
        aliases: &[],
        requirement: Requirement::Required,
        meaning: "cloud-config, Ignition or script with which the VM starts",
    },
];

pub(crate) fn validate(credentials: &Credentials) -> Vec<FieldError> {
    let account = account::read(credentials).err().map(|problem| {
        let (rule, kind) = match &problem {
            AccountProblem::Missing => (rule_list::ACCOUNT, FieldErrorKind::Required),
            AccountProblem::Unusable { .. } => (rule_list::ACCOUNT, FieldErrorKind::Invalid),
            AccountProblem::NoProject => (rule_list::PROJECT, FieldErrorKind::Required),
            AccountProblem::OddProject { .. } => (rule_list::PROJECT, FieldErrorKind::Invalid),
        };
        FieldError::new(rule.id, problem.key(), kind, problem.detail())
    });
    let refused = |kind, detail: String| {
        Some(FieldError::new(rule_list::USER_DATA.id, UserData::SECRET_KEY, kind, detail))
    };
    let user_data = match credentials.bytes(UserData::SECRET_KEY) {
        None | Some([]) => refused(
            FieldErrorKind::Required,
            "must be there, with the cloud-config, Ignition or script of a machine".into(),
        ),
        Some(bytes) if bytes.len() > USER_DATA_LIMIT => {
            refused(FieldErrorKind::Invalid, too_long(bytes.len()))
        }
        Some(bytes) if std::str::from_utf8(bytes).is_err() => {
            refused(FieldErrorKind::Invalid, "must be text in UTF-8".into())
        }
        Some(_) => None,
    };
    account.into_iter().chain(user_data).collect()
}

pub(crate) fn too_long(bytes: usize) -> String {
    format!("has {bytes} bytes; Compute Engine takes {USER_DATA_LIMIT}")
}
