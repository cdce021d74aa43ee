//! How a Secret says who calls. What is wrong is named by key, never by value.

use millwright_provider::Credentials;

use crate::secrets::{
    ACCESS_KEY_ID, ACCESS_KEY_ID_ALIAS, EXTERNAL_ID, ROLE_ARN, SECRET_ACCESS_KEY, SECRET_ACCESS_KEY_ALIAS,
    SOURCE, TOKEN_FILE,
};

/// Folders from which a token may be read. A Secret's author must not be able to have other files of the controller sent somewhere.
pub(crate) const TOKEN_FOLDERS: &[&str] = &[
    "/var/run/secrets/gardener.cloud/workload-identity/",
    "/var/run/secrets/eks.amazonaws.com/serviceaccount/",
];

/// Who calls.
#[cfg_attr(not(feature = "client"), expect(dead_code, reason = "the webhook only asks whether there is one"))]
pub(crate) enum Login<'a> {
    /// An access key.
    Keys(AccessKey<'a>),
    /// An access key that may assume a role.
    AssumedRole { key: AccessKey<'a>, role: &'a str, external_id: Option<&'a str> },
    /// A token that a role trusts; the file is read each time a session begins.
    WebIdentity { token_file: &'a str, role: &'a str },
    /// The role of the VM on which this process runs.
    InstanceMetadata,
}

/// An access key.
#[cfg_attr(not(feature = "client"), expect(dead_code, reason = "the webhook only asks whether there is one"))]
pub(crate) struct AccessKey<'a> {
    pub(crate) id: &'a str,
    pub(crate) secret: &'a str,
}

/// Why a Secret names nobody.
pub(crate) struct LoginMistake {
    /// The key that is missing or wrong.
    pub(crate) key: &'static str,
    /// Whether it is not there at all.
    pub(crate) is_missing: bool,
    /// What is wrong, what is allowed.
    pub(crate) detail: &'static str,
}

fn missing<T>(key: &'static str, detail: &'static str) -> Result<T, LoginMistake> {
    Err(LoginMistake { key, is_missing: true, detail })
}

fn wrong<T>(key: &'static str, detail: &'static str) -> Result<T, LoginMistake> {
    Err(LoginMistake { key, is_missing: false, detail })
}

impl<'a> Login<'a> {
    /// Reads the keys of a class's Secrets.
    pub(crate) fn of(credentials: &'a Credentials) -> Result<Self, LoginMistake> {
        let either = |name, alias| credentials.text(name).or_else(|| credentials.text(alias));
        let id = either(ACCESS_KEY_ID, ACCESS_KEY_ID_ALIAS);
        let secret = either(SECRET_ACCESS_KEY, SECRET_ACCESS_KEY_ALIAS);
        let role = credentials.text(ROLE_ARN);
        if let Some(source) = credentials.text(SOURCE) {
            return match source {
                "instanceMetadata" if id.is_none() && secret.is_none() && role.is_none() => {
                    Ok(Self::InstanceMetadata)
                }
                "instanceMetadata" => {
                    wrong(SOURCE, "must stand alone: there are also an access key or a role")
                }
                _ => wrong(SOURCE, "must be instanceMetadata or left out"),
            };
        }
        if let Some(role) = role
            && !(role.starts_with("arn:") && role.contains(":role/") && is_visible(role))
        {
            return wrong(
                ROLE_ARN,
                "must be the ARN of a role, such as arn:aws:iam::123456789012:role/machines",
            );
        }
        match (id, secret, credentials.text(TOKEN_FILE), role) {
            (Some(_), _, Some(_), _) | (_, Some(_), Some(_), _) => {
                wrong(TOKEN_FILE, "must not stand beside an access key; keep one of the two")
            }
            (None, None, Some(token_file), Some(role)) => {
                let inside = TOKEN_FOLDERS.iter().find_map(|folder| token_file.strip_prefix(folder));
                match inside {
                    Some(name) if !name.is_empty() && !name.split('/').any(|part| part == "..") => {
                        Ok(Self::WebIdentity { token_file, role })
                    }
                    _ => wrong(
                        TOKEN_FILE,
                        "must be a file below /var/run/secrets/gardener.cloud/workload-identity/ or \
                         /var/run/secrets/eks.amazonaws.com/serviceaccount/",
                    ),
                }
            }
            (None, None, Some(_), None) => missing(ROLE_ARN, "must be there: the role that trusts the token"),
            (None, ..) => missing(
                ACCESS_KEY_ID,
                "must be there, or workloadIdentityTokenFile with roleARN, or credentialSource: instanceMetadata",
            ),
            (Some(_), None, ..) => {
                missing(SECRET_ACCESS_KEY, "must be there, in UTF-8: the secret of the access key")
            }
            (Some(id), Some(_), ..) if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                wrong(ACCESS_KEY_ID, "must be letters and digits only, as IAM shows it")
            }
            (Some(_), Some(secret), ..) if !is_visible(secret) => wrong(
                SECRET_ACCESS_KEY,
                "must be one line of visible ASCII characters, as IAM showed it once",
            ),
            (Some(id), Some(secret), None, role) => {
                let key = AccessKey { id, secret };
                Ok(match role {
                    Some(role) => Self::AssumedRole { key, role, external_id: credentials.text(EXTERNAL_ID) },
                    None => Self::Keys(key),
                })
            }
        }
    }
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// All that no text may show.
#[cfg(feature = "client")]
pub(crate) fn redaction(credentials: &Credentials) -> millwright_cloud_http::Redaction {
    let secrets =
        [ACCESS_KEY_ID, ACCESS_KEY_ID_ALIAS, SECRET_ACCESS_KEY, SECRET_ACCESS_KEY_ALIAS, EXTERNAL_ID];
    millwright_cloud_http::Redaction::of(secrets.iter().filter_map(|key| credentials.text(key)))
}
