//! The programs a control plane consists of, by the names they are called by.
//! Where they lie on the disk is `binaries`' business, how they are called is `flags`'.

use std::fmt;

/// One program of the control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Program {
    /// The store below the API server.
    Etcd,
    /// The API server.
    KubeApiserver,
    /// Signs kubelets' certificates, watches node leases, collects garbage.
    KubeControllerManager,
    /// Binds pods to nodes.
    KubeScheduler,
    /// The command line; it is called, never kept running.
    Kubectl,
}

impl Program {
    /// Every program, in the order in which a control plane starts.
    pub const ALL: [Program; 5] =
        [Self::Etcd, Self::KubeApiserver, Self::KubeControllerManager, Self::KubeScheduler, Self::Kubectl];

    /// The file name of its executable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::KubeApiserver => "kube-apiserver",
            Self::KubeControllerManager => "kube-controller-manager",
            Self::KubeScheduler => "kube-scheduler",
            Self::Kubectl => "kubectl",
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
