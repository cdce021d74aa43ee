//! The identity in the Secret: a service account's key, or a workload identity.
//!
//! Whoever writes a Secret must not be able to read our files or to send our requests elsewhere: what the JSON says about hosts
//! and files must be what it always is, and members that are not needed are not read.

mod external_account;
mod service_account;

use millwright_provider::Credentials;
use serde_json::Value;

pub(crate) use self::external_account::ExternalAccount;
#[cfg(feature = "client")]
pub(crate) use self::external_account::{STS_URL, TOKEN_FILE, impersonation_url};
pub(crate) use self::service_account::ServiceAccount;
use crate::names::is_project;
use crate::secrets::{ACCOUNT_KEYS, PROJECT_KEY};

/// Who we are in the cloud.
#[derive(Debug)]
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls read it"))]
pub(crate) enum Account {
    ServiceAccount(ServiceAccount),
    ExternalAccount(ExternalAccount),
}

/// Why the credentials can not be used: the key, and what is wrong with it. Holds no value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AccountProblem {
    /// The JSON is missing.
    Missing,
    /// The JSON under that key can not be used.
    Unusable { key: &'static str, reason: String },
    /// No project.
    NoProject,
    /// The project is no project.
    OddProject { key: &'static str },
}

impl AccountProblem {
    /// What is wrong, in words for the user.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Missing => {
                "must be there: the JSON of a service account's key or of a workload identity".to_owned()
            }
            Self::Unusable { reason, .. } => reason.clone(),
            Self::NoProject => {
                format!("must name the project: as project_id in the JSON or as key {PROJECT_KEY}")
            }
            Self::OddProject { .. } => "must be a project's id, such as my-project-1".to_owned(),
        }
    }

    /// The Secret's key.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Missing => ACCOUNT_KEYS[0],
            Self::Unusable { key, .. } | Self::OddProject { key } => key,
            Self::NoProject => PROJECT_KEY,
        }
    }
}

/// The identity, and the project in which VMs are made.
pub(crate) fn read(credentials: &Credentials) -> Result<(Account, String), AccountProblem> {
    let keys = ACCOUNT_KEYS.iter().copied();
    let present =
        keys.clone().find(|key| credentials.bytes(key).is_some_and(|bytes| !bytes.trim_ascii().is_empty()));
    let key = present.ok_or(AccountProblem::Missing)?;
    let unusable = |reason: &str| AccountProblem::Unusable { key, reason: reason.to_owned() };
    let text = credentials.text(key).ok_or_else(|| unusable("must be JSON in UTF-8"))?;
    let json: Value =
        serde_json::from_str(text).map_err(|_| unusable("must be JSON as Google's console gives it out"))?;
    let member =
        |name: &str| json.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let account = match member("type") {
        Some("service_account") => ServiceAccount::read(&json).map(Account::ServiceAccount),
        Some("external_account") => ExternalAccount::read(&json).map(Account::ExternalAccount),
        _ => Err("member type must be service_account or external_account".to_owned()),
    };
    let account = account.map_err(|reason| AccountProblem::Unusable { key, reason })?;
    let (named_by, project) = match (member("project_id"), credentials.text(PROJECT_KEY)) {
        (Some(project), _) => (key, project),
        (None, Some(project)) => (PROJECT_KEY, project),
        (None, None) => return Err(AccountProblem::NoProject),
    };
    if !is_project(project) {
        return Err(AccountProblem::OddProject { key: named_by });
    }
    Ok((account, project.to_owned()))
}

/// A member's text, or what to say when it is missing.
fn member<'a>(json: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = json.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    text.ok_or_else(|| format!("member {name} must be there"))
}

/// Refuses accounts of other universes than Google's public one, whose hosts nobody here knows.
fn only_public_universe(json: &Value) -> Result<(), String> {
    match json.get("universe_domain") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(domain)) if matches!(domain.trim(), "" | "googleapis.com") => Ok(()),
        Some(_) => Err("member universe_domain must be googleapis.com".to_owned()),
    }
}

#[cfg(test)]
mod tests;
