//! How each program is called. Pure: settings in, arguments out; a table in each file's tests holds what matters about them.

pub(crate) mod etcd;
pub(crate) mod kube_apiserver;
pub(crate) mod kube_controller_manager;
pub(crate) mod kube_scheduler;

use std::path::{Path, PathBuf};

/// The files of the PKI, as the programs are told of them.
#[derive(Debug, Clone)]
pub(crate) struct PkiFiles {
    folder: PathBuf,
}

impl PkiFiles {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn ca_certificate(&self) -> PathBuf {
        self.folder.join("ca.crt")
    }

    pub(crate) fn ca_key(&self) -> PathBuf {
        self.folder.join("ca.key")
    }

    pub(crate) fn front_proxy_ca_certificate(&self) -> PathBuf {
        self.folder.join("front-proxy-ca.crt")
    }

    pub(crate) fn serving_certificate(&self) -> PathBuf {
        self.folder.join("serving.crt")
    }

    pub(crate) fn serving_key(&self) -> PathBuf {
        self.folder.join("serving.key")
    }

    pub(crate) fn service_account_key(&self) -> PathBuf {
        self.folder.join("service-account.key")
    }

    pub(crate) fn service_account_public_key(&self) -> PathBuf {
        self.folder.join("service-account.pub")
    }
}

/// `--name=value` with a path as the value.
fn path_flag(name: &str, path: &Path) -> String {
    format!("--{name}={}", path.display())
}
