//! Who calls: the request with which Keystone is asked for a token.

use millwright_api::MachineCode;
use millwright_provider::{Credentials, ProviderError};
use serde_json::{Value, json};

use crate::secrets::{
    APP_ID, APP_NAME, APP_SECRET, AUTH_URL, DOMAIN_ID, DOMAIN_NAME, PASSWORD, TENANT_ID, TENANT_NAME,
    USER_DOMAIN_ID, USER_DOMAIN_NAME, USERNAME, read_auth_url,
};

/// Where Keystone is, and what it is told. Not `Debug`: it holds the password.
pub(crate) struct Identity {
    /// Without `/v3`.
    pub(crate) keystone: String,
    pub(crate) request: Value,
    /// What must not be seen.
    pub(crate) secrets: Vec<String>,
}

/// Reads it from a Secret. Every way to name a domain or a project is handed over.
pub(crate) fn read(credentials: &Credentials) -> Result<Identity, ProviderError> {
    let text = |key: &str| credentials.text(key);
    let missing = |what: &str| {
        let message = format!("the class's Secret has no usable {what}");
        ProviderError::new(MachineCode::Unauthenticated, message)
    };
    let address = text(AUTH_URL).ok_or_else(|| missing(AUTH_URL))?;
    let keystone = read_auth_url(address).map_err(|problem| {
        ProviderError::new(
            MachineCode::InvalidArgument,
            format!("key {AUTH_URL} of the class's Secret {problem}"),
        )
    })?;
    let domain = named(credentials, DOMAIN_ID, DOMAIN_NAME);
    let user_domain = named(credentials, USER_DOMAIN_ID, USER_DOMAIN_NAME).or_else(|| domain.clone());
    let (identity, secret) = if let Some(secret) = text(APP_SECRET) {
        let credential = match (text(APP_ID), text(APP_NAME), text(USERNAME)) {
            (Some(id), _, _) => json!({ "id": id, "secret": secret }),
            (None, Some(name), Some(user)) => {
                let domain = user_domain.ok_or_else(|| missing(DOMAIN_NAME))?;
                json!({ "name": name, "secret": secret, "user": { "name": user, "domain": domain } })
            }
            (None, Some(_), None) => return Err(missing(USERNAME)),
            (None, None, _) => return Err(missing(APP_ID)),
        };
        (
            json!({ "identity": { "methods": ["application_credential"], "application_credential": credential } }),
            secret,
        )
    } else {
        let user = text(USERNAME).ok_or_else(|| missing(USERNAME))?;
        let password = text(PASSWORD).ok_or_else(|| missing(PASSWORD))?;
        let user_domain = user_domain.ok_or_else(|| missing(DOMAIN_NAME))?;
        let project = match (text(TENANT_ID), text(TENANT_NAME), domain) {
            (Some(id), _, _) => json!({ "id": id }),
            (None, Some(name), Some(domain)) => json!({ "name": name, "domain": domain }),
            (None, Some(_), None) => return Err(missing(DOMAIN_NAME)),
            (None, None, _) => return Err(missing(TENANT_NAME)),
        };
        let user = json!({ "name": user, "domain": user_domain, "password": password });
        let identity = json!({ "methods": ["password"], "password": { "user": user } });
        (json!({ "identity": identity, "scope": { "project": project } }), password)
    };
    // Keystone repeats the id of a credential that it does not know.
    let secrets = [Some(secret), text(APP_ID)].into_iter().flatten().map(str::to_owned).collect();
    Ok(Identity { keystone, request: json!({ "auth": identity }), secrets })
}

fn named(credentials: &Credentials, id: &str, name: &str) -> Option<Value> {
    let by_id = credentials.text(id).map(|id| json!({ "id": id }));
    by_id.or_else(|| credentials.text(name).map(|name| json!({ "name": name })))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn request(pairs: &[(&str, &str)]) -> Value {
        let mut pairs = pairs.to_vec();
        pairs.push((AUTH_URL, "https://k/v3"));
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec()));
        let identity = read(&Credentials::merge([pairs.collect::<BTreeMap<_, _>>()])).unwrap();
        assert_eq!(identity.keystone, "https://k");
        identity.request["auth"].clone()
    }

    #[test]
    fn names_of_domain_and_project_are_handed_over() {
        let pairs = [(USERNAME, "u"), (PASSWORD, "p w\n"), (DOMAIN_NAME, "d"), (TENANT_NAME, "t")];
        assert_eq!(
            request(&pairs),
            json!({
                "identity": { "methods": ["password"], "password": { "user": {
                    "name": "u", "domain": { "name": "d" }, "password": "p w" } } },
                "scope": { "project": { "name": "t", "domain": { "name": "d" } } },
            })
        );
    }

    #[test]
    fn ids_of_domain_project_and_user_domain_are_not_dropped() {
        let pairs =
            [(USERNAME, "u"), (PASSWORD, "p"), (DOMAIN_ID, "d1"), (TENANT_ID, "t1"), (USER_DOMAIN_ID, "e1")];
        let auth = request(&pairs);
        assert_eq!(auth["identity"]["password"]["user"]["domain"], json!({ "id": "e1" }));
        assert_eq!(auth["scope"], json!({ "project": { "id": "t1" } }));
        let pairs = [
            (USERNAME, "u"),
            (PASSWORD, "p"),
            (DOMAIN_ID, "d1"),
            (TENANT_NAME, "t"),
            (USER_DOMAIN_NAME, "e"),
        ];
        let auth = request(&pairs);
        assert_eq!(auth["identity"]["password"]["user"]["domain"], json!({ "name": "e" }));
        assert_eq!(auth["scope"]["project"], json!({ "name": "t", "domain": { "id": "d1" } }));
    }

    #[test]
    fn an_application_credential_is_usable_by_id_and_by_name() {
        let auth = request(&[(APP_ID, "i"), (APP_SECRET, "s"), (TENANT_NAME, "t"), (DOMAIN_NAME, "d")]);
        assert_eq!(
            auth,
            json!({ "identity": {
                "methods": ["application_credential"], "application_credential": { "id": "i", "secret": "s" } } })
        );
        let auth = request(&[(APP_NAME, "n"), (APP_SECRET, "s"), (USERNAME, "u"), (USER_DOMAIN_ID, "e")]);
        assert_eq!(
            auth["identity"]["application_credential"],
            json!({ "name": "n", "secret": "s", "user": { "name": "u", "domain": { "id": "e" } } })
        );
    }
}
