//! The five services: what they are called where, and how one is started.

use std::{path::Path, time::Duration};

use millwright_testbed::{Household, Ports, Process, Recipe};

use crate::{
    StandInError,
    installation::{Venv, sources},
};

/// Seconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Keystone,
    Placement,
    Glance,
    Neutron,
    Nova,
}

impl Service {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Keystone => "keystone",
            Self::Placement => "placement",
            Self::Glance => "glance",
            Self::Neutron => "neutron",
            Self::Nova => "nova",
        }
    }

    /// Its type in the catalogue.
    pub(super) fn catalogue_type(self) -> &'static str {
        match self {
            Self::Keystone => "identity",
            Self::Placement => "placement",
            Self::Glance => "image",
            Self::Neutron => "network",
            Self::Nova => "compute",
        }
    }

    /// What its address in the catalogue ends with.
    fn path(self) -> &'static str {
        match self {
            Self::Keystone => "/v3",
            Self::Nova => "/v2.1",
            Self::Placement | Self::Glance | Self::Neutron => "",
        }
    }

    /// What answers 200 without a token.
    fn ready_path(self) -> &'static str {
        match self {
            Self::Keystone => "/v3",
            Self::Glance => "/healthcheck",
            Self::Placement | Self::Neutron | Self::Nova => "/",
        }
    }

    /// Starts it in `folder` and returns its address as the catalogue gives it.
    pub(super) async fn start(
        self,
        folder: &Path,
        household: &Household,
        keystone: &str,
    ) -> Result<(Process, String), StandInError> {
        let recipe = Recipe {
            name: self.name(),
            executable: "sh".into(),
            log: folder.join(format!("{}.log", self.name())),
            arguments: &|[port, _]: Ports| {
                let python = Venv::OpenStack.python().unwrap_or_default();
                let plugins = sources().join("openstack/plugins");
                let lab = sources().join("openstack/lab.py");
                let script = r#"cd "$1" && shift && exec env "$@""#;
                let more = [
                    folder.display().to_string(),
                    format!("PYTHONPATH={}", plugins.display()),
                    python.display().to_string(),
                    lab.display().to_string(),
                    "serve".to_owned(),
                    self.name().to_owned(),
                    port.to_string(),
                    keystone.to_owned(),
                ];
                ["-c", script, "sh"].map(str::to_owned).into_iter().chain(more).collect()
            },
            ready_url: &|[port, _]| format!("http://127.0.0.1:{port}{}", self.ready_path()),
            patience: PATIENCE,
        };
        let (process, [port, _]) = household.start_process(&recipe).await?;
        Ok((process, format!("http://127.0.0.1:{port}{}", self.path())))
    }
}
