//! A workload identity: a token that Kubernetes mounts is exchanged for one of Google's.

use serde_json::Value;

use super::{member, only_public_universe};

/// Where the token is mounted, and the only file that is read.
pub(crate) const TOKEN_FILE: &str = "/var/run/secrets/gardener.cloud/workload-identity/token";
/// Where it is exchanged.
pub(crate) const STS_URL: &str = "https://sts.googleapis.com/v1/token";
const TOKEN_TYPE: &str = "urn:ietf:params:oauth:token-type:jwt";
const IMPERSONATION_BEGINS: &str = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/";
const IMPERSONATION_ENDS: &str = ":generateAccessToken";

/// What is used of it.
#[derive(Debug)]
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read it"))]
pub(crate) struct ExternalAccount {
    pub(crate) audience: String,
    /// The service account that is impersonated, if one is.
    pub(crate) impersonated: Option<String>,
}

impl ExternalAccount {
    pub(super) fn read(json: &Value) -> Result<Self, String> {
        only_public_universe(json)?;
        exactly(json, "token_url", STS_URL)?;
        exactly(json, "subject_token_type", TOKEN_TYPE)?;
        source(json.get("credential_source"))?;
        let impersonated = match json.get("service_account_impersonation_url") {
            None | Some(Value::Null) => None,
            Some(Value::String(url)) if url.trim().is_empty() => None,
            Some(url) => Some(email(url.as_str().unwrap_or_default()).ok_or_else(|| {
                format!(
                    "member service_account_impersonation_url must be {IMPERSONATION_BEGINS}EMAIL{IMPERSONATION_ENDS}"
                )
            })?),
        };
        Ok(Self { audience: member(json, "audience")?.to_owned(), impersonated })
    }
}

/// Where a token of that service account is asked for.
#[cfg(feature = "client")]
pub(crate) fn impersonation_url(email: &str) -> String {
    format!("{IMPERSONATION_BEGINS}{email}{IMPERSONATION_ENDS}")
}

fn exactly(json: &Value, name: &str, wanted: &str) -> Result<(), String> {
    if member(json, name)? == wanted { Ok(()) } else { Err(format!("member {name} must be {wanted}")) }
}

/// The source is a file, and that one; anything else would let the author of a Secret read our files or run a program.
fn source(source: Option<&Value>) -> Result<(), String> {
    let wrong = || {
        format!(
            "member credential_source must be {{\"file\": {TOKEN_FILE:?}}} with a format of plain text at most"
        )
    };
    let source = source.and_then(Value::as_object).ok_or_else(wrong)?;
    let file = source.get("file").and_then(Value::as_str);
    let plain = source.get("format").is_none_or(|format| {
        format
            .as_object()
            .is_some_and(|format| format.iter().all(|(name, value)| name == "type" && value == "text"))
    });
    let others = source.keys().any(|name| !matches!(name.as_str(), "file" | "format"));
    if file == Some(TOKEN_FILE) && plain && !others { Ok(()) } else { Err(wrong()) }
}

fn email(url: &str) -> Option<String> {
    let email = url.trim().strip_prefix(IMPERSONATION_BEGINS)?.strip_suffix(IMPERSONATION_ENDS)?;
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte);
    (email.len() > 2 && email.contains('@') && email.bytes().all(good)).then(|| email.to_owned())
}
