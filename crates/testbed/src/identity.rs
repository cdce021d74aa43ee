//! Who can log in to a testbed: each identity is a client certificate whose subject is the user and its groups.
//! What each may do is said elsewhere: by upstream's built-in roles, by `rbac.yaml`, and by the project's own manifests.

/// A user of the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// May do everything.
    Admin,
    /// Our controller. It runs outside of the cluster and has the user name of its service account, so the manifests bind it unchanged.
    Controller,
    /// Our webhook, in the same way.
    Webhook,
    /// The simulated cloud, which may register nodes without a kubelet's certificate.
    Simcloud,
    /// kube-controller-manager.
    KubeControllerManager,
    /// kube-scheduler.
    KubeScheduler,
    /// Somebody whom no binding names: what everybody may do, and no more.
    Stranger,
}

const SERVICE_ACCOUNT_GROUPS: &[&str] =
    &["system:serviceaccounts", "system:serviceaccounts:millwright-system"];

impl Identity {
    /// Every identity.
    pub const ALL: [Identity; 7] = [
        Self::Admin,
        Self::Controller,
        Self::Webhook,
        Self::Simcloud,
        Self::KubeControllerManager,
        Self::KubeScheduler,
        Self::Stranger,
    ];

    /// The name in file names and in `testbed status`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Controller => "controller",
            Self::Webhook => "webhook",
            Self::Simcloud => "simcloud",
            Self::KubeControllerManager => "kube-controller-manager",
            Self::KubeScheduler => "kube-scheduler",
            Self::Stranger => "stranger",
        }
    }

    /// The user name that RBAC sees.
    pub fn user(self) -> &'static str {
        match self {
            Self::Admin => "millwright:testbed-admin",
            Self::Controller => "system:serviceaccount:millwright-system:millwright-controller",
            Self::Webhook => "system:serviceaccount:millwright-system:millwright-webhook",
            Self::Simcloud => "millwright:simcloud",
            Self::KubeControllerManager => "system:kube-controller-manager",
            Self::KubeScheduler => "system:kube-scheduler",
            Self::Stranger => "millwright:stranger",
        }
    }

    /// The groups that RBAC sees, besides `system:authenticated`.
    pub fn groups(self) -> &'static [&'static str] {
        match self {
            Self::Admin => &["system:masters"],
            Self::Controller | Self::Webhook => SERVICE_ACCOUNT_GROUPS,
            Self::Simcloud | Self::KubeControllerManager | Self::KubeScheduler | Self::Stranger => &[],
        }
    }
}
