//! The layout of a testbed's data folder: which file lies where. Only names; what is in them belongs to who writes them.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::identity::Identity;

/// Paths below one data folder.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Makes the folders, without anything that an earlier testbed left in them. Nothing else in the folder is touched.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        let ours = [self.pki(), self.kubeconfigs(), self.logs()];
        let made_by_the_programs = [self.etcd(), self.kubectl_cache(), self.volume_plugins()];
        for folder in ours.iter().chain(&made_by_the_programs) {
            match std::fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        ours.iter().try_for_each(std::fs::create_dir_all)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn etcd(&self) -> PathBuf {
        self.root.join("etcd")
    }

    pub(crate) fn pki(&self) -> PathBuf {
        self.root.join("pki")
    }

    pub(crate) fn kubeconfigs(&self) -> PathBuf {
        self.root.join("kubeconfig")
    }

    pub(crate) fn kubeconfig(&self, identity: Identity) -> PathBuf {
        self.kubeconfigs().join(format!("{}.yaml", identity.name()))
    }

    pub(crate) fn kubeconfig_through(&self, identity: Identity, port: u16) -> PathBuf {
        self.kubeconfigs().join(format!("{}-through-{port}.yaml", identity.name()))
    }

    pub(crate) fn volume_plugins(&self) -> PathBuf {
        self.root.join("volume-plugins")
    }

    pub(crate) fn audit_policy(&self) -> PathBuf {
        self.root.join("audit-policy.json")
    }

    pub(crate) fn audit_log(&self) -> PathBuf {
        self.logs().join("audit.json")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    pub(crate) fn log(&self, program: &str) -> PathBuf {
        self.logs().join(format!("{program}.log"))
    }

    /// kubectl remembers an API's kinds by host and port; in `$HOME` a testbed on a reused port would find another's.
    pub(crate) fn kubectl_cache(&self) -> PathBuf {
        self.root.join("kubectl-cache")
    }
}
