//! The Secret's keys: where Keystone is, who calls, whom to trust, and user data.

use http::Uri;
use millwright_provider::{Credentials, FieldError, FieldErrorKind, Requirement, Rule, SecretKey, UserData};

use crate::rule_list;

pub(crate) const AUTH_URL: &str = "authURL";
pub(crate) const USERNAME: &str = "username";
pub(crate) const PASSWORD: &str = "password";
pub(crate) const APP_ID: &str = "applicationCredentialID";
pub(crate) const APP_NAME: &str = "applicationCredentialName";
pub(crate) const APP_SECRET: &str = "applicationCredentialSecret";
pub(crate) const DOMAIN_NAME: &str = "domainName";
pub(crate) const DOMAIN_ID: &str = "domainID";
pub(crate) const TENANT_NAME: &str = "tenantName";
pub(crate) const TENANT_ID: &str = "tenantID";
pub(crate) const USER_DOMAIN_NAME: &str = "userDomainName";
pub(crate) const USER_DOMAIN_ID: &str = "userDomainID";
pub(crate) const CA_CERT: &str = "caCert";
pub(crate) const CLIENT_CERT: &str = "clientCert";
pub(crate) const CLIENT_KEY: &str = "clientKey";
pub(crate) const INSECURE: &str = "insecure";

/// The most bytes of user data: Nova takes 65535 characters of base64.
pub(crate) const USER_DATA_LIMIT: usize = 65535 / 4 * 3;

const fn optional(name: &'static str, meaning: &'static str) -> SecretKey {
    SecretKey { name, aliases: &[], requirement: Requirement::Optional, meaning }
}

const fn required(name: &'static str, meaning: &'static str) -> SecretKey {
    SecretKey { name, aliases: &[], requirement: Requirement::Required, meaning }
}

pub(crate) const KEYS: &[SecretKey] = &[
    required(AUTH_URL, "address of Keystone, with or without /v3"),
    optional(USERNAME, "name of the user; with password, or with applicationCredentialName"),
    optional(PASSWORD, "password of the user"),
    optional(APP_ID, "id of an application credential, instead of a user and password"),
    optional(APP_NAME, "name of an application credential of the user, instead of its id"),
    optional(APP_SECRET, "secret of the application credential"),
    optional(DOMAIN_NAME, "name of the project's domain; needed unless an application credential is used"),
    optional(DOMAIN_ID, "id of the project's domain, instead of its name"),
    optional(TENANT_NAME, "name of the project; needed unless an application credential is used"),
    optional(TENANT_ID, "id of the project, instead of its name"),
    optional(USER_DOMAIN_NAME, "name of the user's domain, if it is not the project's"),
    optional(USER_DOMAIN_ID, "id of the user's domain, instead of its name"),
    optional(CA_CERT, "certificates (PEM) of the authorities that are trusted instead of the usual ones"),
    optional(CLIENT_CERT, "certificate (PEM) to show to the cloud; with clientKey"),
    optional(CLIENT_KEY, "key (PEM) of clientCert"),
    optional(INSECURE, "true: do not check the cloud's certificate"),
    required(UserData::SECRET_KEY, "cloud-config or Ignition with which the server starts"),
];

/// All mistakes. They name keys, never values.
pub(crate) fn validate(credentials: &Credentials) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    unreadable(credentials, &mut mistakes);
    auth_url(credentials, &mut mistakes);
    identity(credentials, &mut mistakes);
    trust(credentials, &mut mistakes);
    user_data(credentials, &mut mistakes);
    mistakes
}

fn error(rule: Rule, key: &str, kind: FieldErrorKind, detail: impl Into<String>) -> FieldError {
    FieldError::new(rule.id, key, kind, detail)
}

fn is_there(credentials: &Credentials, key: &str) -> bool {
    credentials.bytes(key).is_some_and(|bytes| !bytes.trim_ascii().is_empty())
}

/// Keys whose bytes are no text, or no text that fits into one line of a request.
fn unreadable(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let one_line = KEYS.iter().map(|key| key.name).filter(|key| {
        !matches!(*key, AUTH_URL | CA_CERT | CLIENT_CERT | CLIENT_KEY | INSECURE | UserData::SECRET_KEY)
    });
    for key in one_line.filter(|key| is_there(credentials, key)) {
        let is_good = credentials.text(key).is_some_and(|text| !text.chars().any(char::is_control));
        if !is_good {
            let detail = "must be one line of text in UTF-8";
            mistakes.push(error(rule_list::IDENTITY, key, FieldErrorKind::Invalid, detail));
        }
    }
}

fn auth_url(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let rule = rule_list::AUTH_URL;
    if !is_there(credentials, AUTH_URL) {
        let detail = "must be there, with the address of Keystone, such as https://keystone.example.com/v3";
        mistakes.push(error(rule, AUTH_URL, FieldErrorKind::Required, detail));
    } else if let Err(problem) = read_auth_url(credentials.text(AUTH_URL).unwrap_or_default()) {
        mistakes.push(error(rule, AUTH_URL, FieldErrorKind::Invalid, problem));
    }
}

/// Keystone's address without `/v3`; the text is not repeated in the problem, because somebody may have put a password there.
pub(crate) fn read_auth_url(text: &str) -> Result<String, &'static str> {
    let uri: Uri = text.parse().map_err(|_| "must be a URL, such as https://keystone.example.com/v3")?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err("must begin with http:// or https://");
    }
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("must not hold a user or password; they have keys of their own");
    }
    if uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
        return Err("must be a scheme, a host and perhaps a path, such as https://keystone.example.com/v3");
    }
    let address = text.trim_end_matches('/');
    Ok(address.strip_suffix("/v3").unwrap_or(address).trim_end_matches('/').to_owned())
}

fn identity(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let has = |key| is_there(credentials, key);
    let mut missing = |key: &'static str, detail: &str| {
        mistakes.push(error(rule_list::IDENTITY, key, FieldErrorKind::Required, detail));
    };
    let is_app = has(APP_ID) || has(APP_NAME) || has(APP_SECRET);
    if is_app {
        if !has(APP_SECRET) {
            missing(APP_SECRET, "must be there with applicationCredentialID or applicationCredentialName");
        }
        if !has(APP_ID) && !has(APP_NAME) {
            missing(APP_ID, "must be there with applicationCredentialSecret, or applicationCredentialName");
        }
        if !has(APP_ID) && has(APP_NAME) && !has(USERNAME) {
            missing(USERNAME, "must be there with applicationCredentialName: it is the user's");
        }
        if has(PASSWORD) {
            let detail = "must not be there beside an application credential: only one of the two can call";
            mistakes.push(error(rule_list::IDENTITY, PASSWORD, FieldErrorKind::Forbidden, detail));
        }
        return domains_of_an_application_credential(credentials, mistakes);
    }
    if !has(USERNAME) {
        missing(USERNAME, "must be there, with password; or applicationCredentialID and its secret");
    }
    if !has(PASSWORD) {
        missing(PASSWORD, "must be there, with username; or applicationCredentialID and its secret");
    }
    for (name, id) in [(DOMAIN_NAME, DOMAIN_ID), (TENANT_NAME, TENANT_ID)] {
        if !has(name) && !has(id) {
            let detail = format!("must be there, or {id}");
            mistakes.push(error(rule_list::DOMAIN_AND_PROJECT, name, FieldErrorKind::Required, detail));
        }
    }
}

fn domains_of_an_application_credential(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let has = |key| is_there(credentials, key);
    let has_domain = [USER_DOMAIN_NAME, USER_DOMAIN_ID, DOMAIN_NAME, DOMAIN_ID].into_iter().any(has);
    if !has(APP_ID) && has(APP_NAME) && !has_domain {
        let detail =
            "must be there with applicationCredentialName, or another key that names the user's domain";
        mistakes.push(error(rule_list::DOMAIN_AND_PROJECT, DOMAIN_NAME, FieldErrorKind::Required, detail));
    }
}

fn trust(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let rule = rule_list::TRUST;
    for (key, what) in [(CA_CERT, "CERTIFICATE"), (CLIENT_CERT, "CERTIFICATE"), (CLIENT_KEY, "PRIVATE KEY")] {
        let is_pem = |text: &str| {
            text.contains("-----BEGIN ")
                && text.contains(&format!("{what}-----"))
                && text.contains("-----END ")
        };
        if is_there(credentials, key) && !credentials.text(key).is_some_and(is_pem) {
            let detail = format!("must be PEM, with a line that ends in {what}-----");
            mistakes.push(error(rule, key, FieldErrorKind::Invalid, detail));
        }
    }
    for (key, other) in [(CLIENT_CERT, CLIENT_KEY), (CLIENT_KEY, CLIENT_CERT)] {
        if !is_there(credentials, key) && is_there(credentials, other) {
            let detail = format!("must be there with {other}");
            mistakes.push(error(rule, key, FieldErrorKind::Required, detail));
        }
    }
    if is_there(credentials, INSECURE) && !matches!(credentials.text(INSECURE), Some("true" | "false")) {
        mistakes.push(error(rule, INSECURE, FieldErrorKind::NotSupported, "must be true or false"));
    }
}

fn user_data(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let (rule, key) = (rule_list::USER_DATA, UserData::SECRET_KEY);
    match credentials.bytes(key) {
        None | Some([]) => {
            let detail = "must be there, with the cloud-config or Ignition of a machine";
            mistakes.push(error(rule, key, FieldErrorKind::Required, detail));
        }
        Some(bytes) if bytes.len() > USER_DATA_LIMIT => {
            mistakes.push(error(rule, key, FieldErrorKind::Invalid, too_long(bytes.len())));
        }
        Some(bytes) if std::str::from_utf8(bytes).is_err() => {
            mistakes.push(error(rule, key, FieldErrorKind::Invalid, "must be text in UTF-8"));
        }
        Some(_) => {}
    }
}

pub(crate) fn too_long(bytes: usize) -> String {
    format!("has {bytes} bytes; Nova takes {USER_DATA_LIMIT}")
}

#[cfg(test)]
mod tests;
