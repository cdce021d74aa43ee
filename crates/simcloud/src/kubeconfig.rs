//! The part of a kubeconfig that leads to an API server: address, CA, and a token or a client certificate.
//!
//! Exec plugins, proxies and servers without a CA are refused: a machine that boots has none of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use thiserror::Error;

use crate::secret::Secret;

/// Why a kubeconfig leads nowhere.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum KubeconfigError {
    /// It is not YAML of the right shape.
    #[error("not a kubeconfig: {0}")]
    Syntax(String),
    /// A name refers to nothing.
    #[error("{0}")]
    Dangling(String),
    /// A field is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field that should be base64 is not.
    #[error("{0} is not base64")]
    NotBase64(&'static str),
    /// A file that the kubeconfig refers to is not there.
    #[error("{field} names {path}, which is not there")]
    NoFile {
        /// The referring field.
        field: &'static str,
        /// The file.
        path: String,
    },
}

/// How to reach an API server, and as whom.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) server: String,
    pub(crate) ca_pem: Vec<u8>,
    pub(crate) credential: Credential,
}

/// As whom to speak.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    Token(Secret),
    Certificate { certificate_pem: Vec<u8>, key_pem: Secret },
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Kubeconfig {
    #[serde(default)]
    current_context: String,
    #[serde(default)]
    clusters: Vec<NamedCluster>,
    #[serde(default)]
    users: Vec<NamedUser>,
    #[serde(default)]
    contexts: Vec<NamedContext>,
}

#[derive(Deserialize)]
struct NamedCluster {
    name: String,
    cluster: Cluster,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Cluster {
    server: Option<String>,
    certificate_authority_data: Option<String>,
    certificate_authority: Option<String>,
}

#[derive(Deserialize)]
struct NamedUser {
    name: String,
    user: User,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct User {
    token: Option<Secret>,
    client_certificate_data: Option<String>,
    client_certificate: Option<String>,
    client_key_data: Option<String>,
    client_key: Option<String>,
}

#[derive(Deserialize)]
struct NamedContext {
    name: String,
    context: Context,
}

#[derive(Deserialize)]
struct Context {
    cluster: String,
    user: String,
}

/// Reads a kubeconfig; `file` yields the content of files that it refers to.
pub(crate) fn read(text: &[u8], file: impl Fn(&str) -> Option<Vec<u8>>) -> Result<Access, KubeconfigError> {
    let text = std::str::from_utf8(text).map_err(|error| KubeconfigError::Syntax(error.to_string()))?;
    let config: Kubeconfig =
        serde_saphyr::from_str(text).map_err(|error| KubeconfigError::Syntax(error.to_string()))?;
    let context = config.contexts.into_iter().find(|context| context.name == config.current_context);
    let context =
        context.ok_or_else(|| dangling("current-context", &config.current_context, "contexts"))?.context;
    let cluster = config.clusters.into_iter().find(|cluster| cluster.name == context.cluster);
    let cluster = cluster.ok_or_else(|| dangling("context.cluster", &context.cluster, "clusters"))?.cluster;
    let user = config.users.into_iter().find(|user| user.name == context.user);
    let user = user.ok_or_else(|| dangling("context.user", &context.user, "users"))?.user;

    let load = |field, data: Option<String>, path: Option<String>| load(field, data, path, &file);
    let ca =
        load("certificate-authority", cluster.certificate_authority_data, cluster.certificate_authority)?;
    let credential = match user.token {
        Some(token) => Credential::Token(token),
        None => {
            let certificate =
                load("client-certificate", user.client_certificate_data, user.client_certificate)?;
            let key = load("client-key", user.client_key_data, user.client_key)?;
            Credential::Certificate {
                certificate_pem: certificate
                    .ok_or(KubeconfigError::Missing("user.token or user.client-certificate"))?,
                key_pem: Secret::new(String::from_utf8_lossy(
                    &key.ok_or(KubeconfigError::Missing("user.client-key"))?,
                )),
            }
        }
    };
    Ok(Access {
        server: cluster.server.ok_or(KubeconfigError::Missing("cluster.server"))?,
        ca_pem: ca.ok_or(KubeconfigError::Missing("cluster.certificate-authority-data"))?,
        credential,
    })
}

fn dangling(field: &str, name: &str, list: &str) -> KubeconfigError {
    KubeconfigError::Dangling(format!("{field} {name:?} is not in {list}"))
}

fn load(
    field: &'static str,
    data: Option<String>,
    path: Option<String>,
    file: &impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>, KubeconfigError> {
    match (data, path) {
        (Some(data), _) => {
            let packed: String = data.split_whitespace().collect();
            STANDARD.decode(packed).map(Some).map_err(|_| KubeconfigError::NotBase64(field))
        }
        (None, Some(path)) => file(&path).map(Some).ok_or(KubeconfigError::NoFile { field, path }),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(cluster: &str, user: &str) -> String {
        format!(
            "current-context: x\nclusters: [{{name: c, cluster: {{{cluster}}}}}]\nusers: [{{name: u, user: {{{user}}}}}]\n\
             contexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
        )
    }

    #[test]
    fn files_stand_in_for_data() {
        let text = config(
            "server: 'https://h:1', certificate-authority: /ca",
            "client-certificate: /crt, client-key-data: S0VZ",
        );
        let access = read(text.as_bytes(), |path| Some(path.as_bytes().to_vec())).unwrap();
        assert_eq!((access.server.as_str(), access.ca_pem.as_slice()), ("https://h:1", b"/ca".as_slice()));
        let Credential::Certificate { certificate_pem, key_pem } = access.credential else {
            panic!("a certificate")
        };
        assert_eq!((certificate_pem.as_slice(), key_pem.reveal()), (b"/crt".as_slice(), "KEY"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let ca = "certificate-authority-data: Q0E=";
        let cases = [
            (config(&format!("server: s, {ca}"), ""), "user.token or user.client-certificate is missing"),
            (config(ca, "token: t"), "cluster.server is missing"),
            (config("server: s", "token: t"), "cluster.certificate-authority-data is missing"),
            (config("server: s, certificate-authority: /ca", "token: t"), "certificate-authority names /ca"),
            (
                config("server: s, certificate-authority-data: '*'", "token: t"),
                "certificate-authority is not base64",
            ),
            ("current-context: y\n".to_owned(), "current-context \"y\" is not in contexts"),
            ("- 1\n".to_owned(), "not a kubeconfig"),
        ];
        for (text, expected) in cases {
            let error = read(text.as_bytes(), |_| None).unwrap_err().to_string();
            assert!(error.contains(expected), "{text} gives {error}");
        }
    }

    #[test]
    fn a_token_does_not_show_in_debug_output() {
        let text = config("server: s, certificate-authority-data: Q0E=", "token: hush");
        let access = read(text.as_bytes(), |_| None).unwrap();
        assert!(!format!("{access:?}").contains("hush"));
    }
}
