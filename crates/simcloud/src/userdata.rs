//! User data as a booting machine reads it: cloud-config or Ignition, and in it what a kubelet needs.
//!
//! Only files and the host name are taken; commands are not run. What comes out is
//! [`Bootstrap`]: how to reach the API server, and under which name and labels to join.

mod cloud_config;
mod data_url;
mod ignition;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use crate::kubeconfig::{self, Access, KubeconfigError};
use crate::secret::Secret;

const BOOTSTRAP_KUBECONFIG: &str = "bootstrap-kubeconfig";
const NODE_LABELS: &str = "/etc/kubernetes/node-labels";
const HOST_NAME_FILE: &str = "/etc/hostname";

/// Why a machine cannot make anything of its user data.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum UserDataError {
    #[error("user data is not text in UTF-8; give it as cloud-config or Ignition, not compressed")]
    NotText,
    #[error("user data is empty; the provider Secret's userData must be cloud-config or Ignition")]
    Empty,
    #[error(
        "user data begins with {0:?}; it must be cloud-config (#cloud-config) or Ignition v3 (a JSON object)"
    )]
    UnknownFormat(String),
    #[error("cloud-config: {0}")]
    CloudConfig(String),
    #[error("Ignition: {0}")]
    Ignition(String),
    #[error("file {path}: {reason}")]
    File { path: String, reason: String },
    #[error("no file ends with bootstrap-kubeconfig; the user data writes {0}")]
    NoBootstrapKubeconfig(String),
    #[error("{path}: {source}")]
    Kubeconfig { path: String, source: KubeconfigError },
    #[error("{NODE_LABELS}: line {0:?} is not key=value")]
    NodeLabels(String),
}

/// The files a machine finds after its first boot, and its host name if the user data sets one.
#[derive(Debug, Default, PartialEq, Eq)]
struct Disk {
    files: BTreeMap<String, Vec<u8>>,
    host_name: Option<String>,
}

/// What a kubelet needs to join.
#[derive(Debug)]
pub(crate) struct Bootstrap {
    pub(crate) access: Access,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) host_name: Option<String>,
}

/// Reads user data as it was given to the cloud, in base64.
pub(crate) fn read(user_data: &Secret) -> Result<Bootstrap, UserDataError> {
    let bytes = STANDARD.decode(user_data.reveal()).map_err(|_| UserDataError::NotText)?;
    let text = String::from_utf8(bytes).map_err(|_| UserDataError::NotText)?;
    let disk = parse(&text)?;
    let (path, kubeconfig) = disk
        .files
        .iter()
        .find(|(path, _)| path.ends_with(BOOTSTRAP_KUBECONFIG))
        .ok_or_else(|| UserDataError::NoBootstrapKubeconfig(names(&disk.files)))?;
    let access = kubeconfig::read(kubeconfig, |file| disk.files.get(file).cloned())
        .map_err(|source| UserDataError::Kubeconfig { path: path.clone(), source })?;
    let labels = disk.files.get(NODE_LABELS).map_or_else(|| Ok(BTreeMap::new()), |file| labels(file))?;
    let host_name = disk.host_name.or_else(|| {
        let file = disk.files.get(HOST_NAME_FILE)?;
        Some(String::from_utf8_lossy(file).trim().to_owned()).filter(|name| !name.is_empty())
    });
    Ok(Bootstrap { access, labels, host_name })
}

fn parse(text: &str) -> Result<Disk, UserDataError> {
    let text = text.trim_start();
    match text.lines().next().map(str::trim_end) {
        None => Err(UserDataError::Empty),
        Some("#cloud-config") => cloud_config::parse(text),
        Some(_) if text.starts_with('{') => ignition::parse(text),
        Some(line) => Err(UserDataError::UnknownFormat(line.chars().take(40).collect())),
    }
}

fn labels(file: &[u8]) -> Result<BTreeMap<String, String>, UserDataError> {
    let text = String::from_utf8_lossy(file);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
            None => Err(UserDataError::NodeLabels(line.to_owned())),
        })
        .collect()
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> String {
    if files.is_empty() {
        return "no files".to_owned();
    }
    files.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KUBECONFIG: &str = r#"
apiVersion: v1
kind: Config
current-context: bootstrap
clusters:
- name: c
  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: Q0E=}
users:
- name: u
  user: {token: "abcdef.0123456789abcdef"}
contexts:
- name: bootstrap
  context: {cluster: c, user: u}
"#;

    fn encoded(text: &str) -> Secret {
        Secret::new(STANDARD.encode(text))
    }

    fn cloud_config(extra: &str) -> String {
        let kubeconfig = STANDARD.encode(KUBECONFIG);
        format!(
            "#cloud-config\nwrite_files:\n- path: /var/lib/kubelet/bootstrap-kubeconfig\n  permissions: '0600'\n  \
             encoding: b64\n  content: {kubeconfig}\n{extra}"
        )
    }

    #[test]
    fn cloud_config_yields_server_token_labels_and_host_name() {
        let text = cloud_config(
            "- path: /etc/kubernetes/node-labels\n  content: |\n    # mine\n    pool=a\n    tier = x\nhostname: node-7\nruncmd:\n- [systemctl, start, kubelet]\n",
        );
        let bootstrap = read(&encoded(&text)).unwrap();
        assert_eq!(bootstrap.access.server, "https://127.0.0.1:6443");
        assert_eq!(bootstrap.access.ca_pem, b"CA");
        assert_eq!(
            bootstrap.labels,
            BTreeMap::from([("pool".into(), "a".into()), ("tier".into(), "x".into())])
        );
        assert_eq!(bootstrap.host_name.as_deref(), Some("node-7"));
    }

    #[test]
    fn ignition_files_may_be_percent_encoded_or_base64() {
        let kubeconfig = STANDARD.encode(KUBECONFIG);
        let text = format!(
            r#"{{"ignition":{{"version":"3.4.0"}},"storage":{{"files":[
                {{"path":"/etc/kubernetes/bootstrap-kubeconfig","contents":{{"source":"data:;base64,{kubeconfig}"}}}},
                {{"path":"/etc/hostname","contents":{{"source":"data:,node%2Dx%0A"}}}},
                {{"path":"/etc/kubernetes/node-labels","contents":{{"source":"data:text/plain;charset=utf-8,a=b"}}}},
                {{"path":"/etc/empty"}}]}},"systemd":{{"units":[]}}}}"#
        );
        let bootstrap = read(&encoded(&text)).unwrap();
        assert_eq!(bootstrap.host_name.as_deref(), Some("node-x"));
        assert_eq!(bootstrap.labels["a"], "b");
    }

    #[test]
    fn user_data_without_use_says_what_is_wrong_with_it() {
        let gzip = cloud_config("- path: /x\n  encoding: gz+b64\n  content: AAAA\n");
        let compressed = r#"{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/x","contents":{"compression":"gzip","source":"data:,"}}]}}"#;
        let remote = r#"{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/x","contents":{"source":"https://example.com/x"}}]}}"#;
        let cases = [
            ("", "user data is empty"),
            ("#!/bin/sh\necho", r##"begins with "#!/bin/sh""##),
            ("#cloud-config\nwrite_files: 3\n", "cloud-config:"),
            ("#cloud-config\nwrite_files:\n- path: /a\n  content: x\n", "the user data writes /a"),
            ("#cloud-config\nhostname: x\n", "the user data writes no files"),
            (&gzip, "file /x: encoding \"gz+b64\""),
            (r#"{"ignition":{"version":"2.3.0"}}"#, "version \"2.3.0\""),
            (r#"{"storage":{}}"#, "Ignition:"),
            (compressed, "compression \"gzip\""),
            (remote, "file /x: source"),
        ];
        for (text, expected) in cases {
            let error = read(&encoded(text)).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?} gives {error:?}, not {expected:?}");
        }
    }

    #[test]
    fn labels_that_are_not_pairs_are_named() {
        let text = cloud_config("- path: /etc/kubernetes/node-labels\n  content: oops\n");
        assert_eq!(read(&encoded(&text)).unwrap_err(), UserDataError::NodeLabels("oops".into()));
    }
}
