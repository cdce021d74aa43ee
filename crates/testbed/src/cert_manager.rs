//! The real cert-manager beside a testbed: its CRDs, its controller and its CA injector, for tests of what this project asks it to do.
//! Both log in as the admin: cert-manager's own rights are its own business. Its webhook does not run, so objects get no defaults.

mod module;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use self::module::{CERT_MANAGER, CONTROLLER, CRDS, INJECTOR};
use crate::{
    binaries::BinariesError,
    identity::Identity,
    kubectl::{self, KubectlError},
    launch::{LaunchError, Ports, Recipe},
    process::Process,
    progress::Progress,
    testbed::Testbed,
};

/// It starts in a second on an idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A cert-manager that runs. Drop it before its testbed.
pub struct CertManager {
    /// What issues certificates.
    pub controller: Process,
    /// What tells webhook registrations whom to trust.
    pub injector: Process,
}

/// Why there is no cert-manager.
#[derive(Debug, thiserror::Error)]
pub enum CertManagerError {
    /// It could not be built.
    #[error(transparent)]
    Build(#[from] BinariesError),
    /// Its CRDs could not be written to a file.
    #[error("cannot write cert-manager's CRDs from {}: {source}", path.display())]
    Crds {
        /// From where or to where.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Its CRDs could not be installed.
    #[error("cannot install cert-manager's CRDs: {0}")]
    Install(#[from] KubectlError),
    /// A program did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl CertManager {
    /// Builds its programs when they are not there yet, which takes minutes; says where they are.
    pub async fn build(progress: &dyn Progress) -> Result<PathBuf, BinariesError> {
        CERT_MANAGER.built(progress).await
    }

    /// Installs its CRDs alone from `folder`, where [`CertManager::build`] put them.
    pub async fn install_crds(testbed: &Testbed, folder: &Path) -> Result<(), CertManagerError> {
        install(testbed, &folder.join(CRDS)).await
    }

    /// Installs its CRDs and starts its programs from `folder`, where [`CertManager::build`] put them.
    pub async fn start(testbed: &Testbed, folder: &Path) -> Result<Self, CertManagerError> {
        Self::install_crds(testbed, folder).await?;
        let kubeconfig = testbed.kubeconfig(Identity::Admin);
        let start = async |name, more: &'static [&str], path| {
            let recipe = Recipe {
                name,
                executable: folder.join(name),
                log: testbed.log_file(name),
                arguments: &|[port, _]: Ports| {
                    let own = [
                        format!("--kubeconfig={}", kubeconfig.display()),
                        format!("--metrics-listen-address=127.0.0.1:{port}"),
                    ];
                    own.into_iter().chain(more.iter().map(|&argument| argument.to_owned())).collect()
                },
                ready_url: &|[port, _]| format!("http://127.0.0.1:{port}{path}"),
                patience: PATIENCE,
            };
            testbed.start_process(&recipe).await.map(|(process, _)| process)
        };
        let (controller, injector) = tokio::try_join!(
            start(CONTROLLER, &[], "/metrics"),
            start(INJECTOR, &["--leader-elect=false"], "/")
        )?;
        Ok(Self { controller, injector })
    }
}

async fn install(testbed: &Testbed, crds: &Path) -> Result<(), CertManagerError> {
    let folder = testbed.data_dir().join("manifests").join("cert-manager-crds");
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CertManagerError::Crds { path, source }
    };
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    for entry in std::fs::read_dir(crds).map_err(failed(crds))? {
        let path = entry.map_err(failed(crds))?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = std::fs::read_to_string(&path).map_err(failed(&path))?;
            let to = folder.join(path.file_name().unwrap_or_default());
            std::fs::write(&to, without_templates(&text)).map_err(failed(&to))?;
        }
    }
    let folder = folder.display().to_string();
    kubectl::must(testbed, &["apply", "--server-side", "-f", &folder]).await?;
    kubectl::must(testbed, &["wait", "--for=condition=Established", "--timeout=60s", "-f", &folder]).await?;
    Ok(())
}

/// The files are made for helm, but only in lines of labels.
fn without_templates(text: &str) -> String {
    text.lines().filter(|line| !line.contains("{{")).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_helm_are_left_out() {
        let text = "labels:\n  app: '{{ template \"name\" . }}'\n  # {{- include \"labels\" . }}\nspec: {}\n";
        assert_eq!(without_templates(text), "labels:\nspec: {}\n");
    }
}
