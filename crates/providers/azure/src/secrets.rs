//! The Secret's keys: who calls, in which subscription, and user data.

use millwright_provider::{Credentials, FieldError, FieldErrorKind, Requirement, Rule, SecretKey, UserData};

use crate::rule_list;

/// The most bytes of user data that Azure takes, before its base64.
pub(crate) const USER_DATA_LIMIT: usize = 65_535;

pub(crate) const CLIENT_ID: SecretKey = SecretKey {
    name: "clientID",
    aliases: &["azureClientId"],
    requirement: Requirement::Required,
    meaning: "application (client) ID of the service principal or of the managed identity",
};
pub(crate) const CLIENT_SECRET: SecretKey = SecretKey {
    name: "clientSecret",
    aliases: &["azureClientSecret"],
    requirement: Requirement::Optional,
    meaning: "secret of the service principal; this, workloadIdentityTokenFile or useManagedIdentity must be there",
};
pub(crate) const TOKEN_FILE: SecretKey = SecretKey {
    name: "workloadIdentityTokenFile",
    aliases: &[],
    requirement: Requirement::Optional,
    meaning: "file in the controller's container, below /var/run/secrets/, with the token that is exchanged for one of Entra; \
              read anew each time",
};
pub(crate) const MANAGED_IDENTITY: SecretKey = SecretKey {
    name: "useManagedIdentity",
    aliases: &[],
    requirement: Requirement::Optional,
    meaning: "`true`: the managed identity clientID of the controller's own VM calls; only where the controller was started \
              with --cloud-endpoint azure.metadata=http://169.254.169.254",
};
pub(crate) const SUBSCRIPTION: SecretKey = SecretKey {
    name: "subscriptionID",
    aliases: &["azureSubscriptionId"],
    requirement: Requirement::Required,
    meaning: "subscription in which the VMs are",
};
pub(crate) const TENANT: SecretKey = SecretKey {
    name: "tenantID",
    aliases: &["azureTenantId"],
    requirement: Requirement::Required,
    meaning: "Entra tenant of the service principal",
};

pub(crate) const KEYS: &[SecretKey] = &[
    CLIENT_ID,
    CLIENT_SECRET,
    TOKEN_FILE,
    MANAGED_IDENTITY,
    SUBSCRIPTION,
    TENANT,
    SecretKey {
        name: UserData::SECRET_KEY,
        aliases: &[],
        requirement: Requirement::Required,
        meaning: "cloud-config or Ignition with which the VM starts",
    },
];

/// The value of a key by its name or one of its aliases, trimmed.
pub(crate) fn text<'a>(credentials: &'a Credentials, key: &SecretKey) -> Option<&'a str> {
    std::iter::once(&key.name).chain(key.aliases).find_map(|name| credentials.text(name))
}

/// How the caller proves who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    Secret,
    TokenFile,
    ManagedIdentity,
}

/// The one proof there is; none when there is none, or several.
pub(crate) fn proof(credentials: &Credentials) -> Option<Proof> {
    let wants_managed = text(credentials, &MANAGED_IDENTITY).is_some_and(|text| text == "true");
    let mut proofs = [
        text(credentials, &CLIENT_SECRET).map(|_| Proof::Secret),
        text(credentials, &TOKEN_FILE).map(|_| Proof::TokenFile),
        wants_managed.then_some(Proof::ManagedIdentity),
    ]
    .into_iter()
    .flatten();
    match (proofs.next(), proofs.next()) {
        (Some(proof), None) => Some(proof),
        (None, _) | (Some(_), Some(_)) => None,
    }
}

pub(crate) fn validate(credentials: &Credentials) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    for (key, rule) in [
        (&CLIENT_ID, rule_list::CLIENT_ID),
        (&SUBSCRIPTION, rule_list::SUBSCRIPTION),
        (&TENANT, rule_list::TENANT),
    ] {
        identifier(credentials, key, rule, &mut mistakes);
    }
    proofs(credentials, &mut mistakes);
    user_data(credentials, &mut mistakes);
    mistakes
}

/// These stand in addresses: what could lead elsewhere has no place in them.
fn identifier(credentials: &Credentials, key: &SecretKey, rule: Rule, mistakes: &mut Vec<FieldError>) {
    let problem = match text(credentials, key) {
        None => {
            (FieldErrorKind::Required, format!("must be there, in UTF-8: {} (key {})", key.meaning, key.name))
        }
        Some(text) if !is_identifier(text) => (
            FieldErrorKind::Invalid,
            format!(
                "key {} must be a UUID, or a domain for the tenant: letters, digits, '-' and '.'",
                key.name
            ),
        ),
        Some(_) => return,
    };
    mistakes.push(FieldError::new(rule.id, key.name, problem.0, problem.1));
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)) && !text.starts_with('.')
}

fn proofs(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let mut refuse = |field: &str, kind, detail: &str| {
        mistakes.push(FieldError::new(rule_list::PROOF.id, field, kind, detail));
    };
    if text(credentials, &MANAGED_IDENTITY).is_some_and(|text| !matches!(text, "true" | "false")) {
        refuse(MANAGED_IDENTITY.name, FieldErrorKind::NotSupported, "must be true or false");
    }
    if let Some(path) = text(credentials, &TOKEN_FILE)
        && (!path.starts_with('/') || path.split('/').any(|part| part == "..") || path.contains('\0'))
    {
        refuse(
            TOKEN_FILE.name,
            FieldErrorKind::Invalid,
            "must be a whole path below /var/run/secrets/ without ..",
        );
    }
    let is_broken = |key: &SecretKey| {
        std::iter::once(&key.name)
            .chain(key.aliases)
            .any(|name| credentials.bytes(name).is_some_and(|bytes| !bytes.is_empty()))
            && text(credentials, key).is_none()
    };
    for key in [&CLIENT_SECRET, &TOKEN_FILE] {
        if is_broken(key) {
            return refuse(
                key.name,
                FieldErrorKind::Invalid,
                "must be text in UTF-8 that is not only white space",
            );
        }
    }
    if text(credentials, &CLIENT_SECRET).is_some_and(|secret| secret.chars().any(char::is_control)) {
        refuse(CLIENT_SECRET.name, FieldErrorKind::Invalid, "must be one line without control characters");
    }
    if proof(credentials).is_none() {
        let detail = "exactly one of clientSecret (azureClientSecret), workloadIdentityTokenFile and useManagedIdentity=true must be \
                      there";
        refuse(CLIENT_SECRET.name, FieldErrorKind::Required, detail);
    }
}

fn user_data(credentials: &Credentials, mistakes: &mut Vec<FieldError>) {
    let (kind, detail) = match credentials.bytes(UserData::SECRET_KEY) {
        None | Some([]) => {
            (FieldErrorKind::Required, "must be there, with the cloud-config or Ignition of a machine".into())
        }
        Some(bytes) if bytes.len() > USER_DATA_LIMIT => (FieldErrorKind::Invalid, too_long(bytes.len())),
        Some(bytes) if std::str::from_utf8(bytes).is_err() => {
            (FieldErrorKind::Invalid, "must be text in UTF-8".into())
        }
        Some(_) => return,
    };
    mistakes.push(FieldError::new(rule_list::USER_DATA.id, UserData::SECRET_KEY, kind, detail));
}

pub(crate) fn too_long(bytes: usize) -> String {
    format!("has {bytes} bytes; Azure takes {USER_DATA_LIMIT}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn fields(pairs: &[(&str, &[u8])]) -> Vec<String> {
        let secret: BTreeMap<String, Vec<u8>> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), value.to_vec())).collect();
        let mistakes = validate(&Credentials::merge([secret]));
        assert!(!format!("{mistakes:?}").contains("hush"), "{mistakes:?}");
        mistakes.into_iter().map(|mistake| mistake.field).collect()
    }

    #[test]
    fn every_mistake_names_its_key_and_no_value() {
        const ID: &[u8] = b"00000000-0000-4000-8000-000000000001\n";
        let with = |more: &[(&'static str, &'static [u8])]| {
            let base =
                [("clientID", ID), ("subscriptionID", ID), ("tenantID", ID), ("userData", b"#cloud-config")];
            base.into_iter().chain(more.iter().copied()).collect::<Vec<_>>()
        };
        assert_eq!(fields(&with(&[("clientSecret", b" hush-hush\n")])), [""; 0]);
        assert_eq!(fields(&with(&[("workloadIdentityTokenFile", b"/var/run/secrets/x/token")])), [""; 0]);
        assert_eq!(fields(&with(&[("useManagedIdentity", b"true")])), [""; 0]);
        let aliases: [(&str, &[u8]); 5] = [
            ("azureClientId", ID),
            ("azureClientSecret", b"hush-hush"),
            ("azureSubscriptionId", ID),
            ("azureTenantId", ID),
            ("userData", b"x"),
        ];
        assert_eq!(fields(&aliases), [""; 0]);
        assert_eq!(fields(&with(&[])), ["clientSecret"]);
        assert_eq!(fields(&with(&[("clientSecret", b"hush\xff")])), ["clientSecret"]);
        assert_eq!(
            fields(&with(&[("clientSecret", b"hush"), ("workloadIdentityTokenFile", b"/a/b")])),
            ["clientSecret"]
        );
        assert_eq!(
            fields(&with(&[("workloadIdentityTokenFile", b"/var/run/secrets/../../etc/hush")])),
            ["workloadIdentityTokenFile"]
        );
        assert_eq!(fields(&with(&[("useManagedIdentity", b"hush")])), ["useManagedIdentity", "clientSecret"]);
        assert_eq!(fields(&[]), ["clientID", "subscriptionID", "tenantID", "clientSecret", "userData"]);
        assert_eq!(
            fields(&with(&[("clientSecret", b"hush-hush"), ("tenantID", b"hush/../x")])),
            ["tenantID"]
        );
        let long = vec![b'x'; USER_DATA_LIMIT + 1];
        let mut pairs: Vec<(&str, &[u8])> = with(&[("clientSecret", b"hush-hush")]);
        pairs.push(("userData", &long));
        assert_eq!(fields(&pairs), ["userData"]);
    }
}
