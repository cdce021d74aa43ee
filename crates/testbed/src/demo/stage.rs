//! Everything that runs in the demo, set up in order: programs, control plane, simulated cloud, webhook, manifests, controller.

use std::{path::Path, sync::Arc, time::Instant};

use parking_lot::Mutex;

use super::{error::DemoError, samples::Samples};
use crate::{
    cargo_build::{Executables, OurProgram, Profile, build},
    cli::Record,
    cloud::Cloud,
    kubectl::{self, command_line},
    options::{Audit, Components, Data, NodeMonitoring, Options},
    ours::{CONTROL_NAMESPACE, start_controller, start_simcloud, start_webhook},
    overlay::{self, Registration},
    process::{Ended, Process},
    screen::Screen,
    testbed::Testbed,
};

/// What plays.
pub(super) struct Stage {
    pub(super) screen: Arc<Screen>,
    pub(super) cloud: Cloud,
    pub(super) samples: Samples,
    // Dropped before the testbed, whose guard they belong to.
    ours: Mutex<Vec<Process>>,
    pub(super) testbed: Testbed,
}

/// Upstream's times are made for months, the demo has two minutes.
const CONTROLLER_FLAGS: [&str; 3] = [
    "--machine-health-timeout=10s",
    "--machine-safety-orphan-vms-period=10s",
    "--machine-safety-orphan-vms-grace=5s",
];

const PROGRAMS: [OurProgram; 3] = [OurProgram::Controller, OurProgram::Webhook, OurProgram::Simcloud];

impl Stage {
    /// Builds what is missing and starts everything.
    pub(super) async fn set(folder: &Path, screen: &Arc<Screen>) -> Result<Self, DemoError> {
        screen.title("Setting the stage");
        let start = Instant::now();
        screen.text("building controller, webhook and simulated cloud; the first time takes minutes");
        let executables = build(&PROGRAMS, Profile::Dev).await?;
        screen.seen("our programs are built", start.elapsed());

        let start = Instant::now();
        let options = Options {
            data: Data::Folder(folder.to_owned()),
            components: Components::All,
            node_monitoring: NodeMonitoring::default(),
            audit: Audit::Off,
            progress: Arc::<Screen>::clone(screen),
        };
        let testbed = screen.during("starting the control plane", Testbed::start(options)).await?;
        screen.seen(&format!("a Kubernetes API answers at {}", testbed.server_url()), start.elapsed());
        Self::furnish(testbed, &executables, screen).await
    }

    async fn furnish(
        testbed: Testbed,
        executables: &Executables,
        screen: &Arc<Screen>,
    ) -> Result<Self, DemoError> {
        let start = Instant::now();
        let simcloud = start_simcloud(&testbed, &executables[&OurProgram::Simcloud]);
        let webhook = start_webhook(&testbed, &executables[&OurProgram::Webhook], CONTROL_NAMESPACE);
        let both = async { tokio::join!(simcloud, webhook) };
        let (simcloud, webhook) = screen.during("starting simulated cloud and webhook", both).await;
        let (simcloud, webhook) = (simcloud?, webhook?);
        let samples = Samples::write(&testbed, &simcloud.cloud)?;
        let stage = Self {
            screen: Arc::clone(screen),
            cloud: simcloud.cloud,
            samples,
            ours: Mutex::new(vec![simcloud.process, webhook.process]),
            testbed,
        };
        screen.seen(&format!("a simulated cloud answers at {}", stage.cloud.url()), start.elapsed());

        let start = Instant::now();
        let authority = stage.testbed.ca_pem();
        let registration = Registration::Webhook { port: webhook.port, ca_pem: &authority };
        let overlay = overlay::write(stage.testbed.data_dir(), registration)
            .map_err(DemoError::file("write a kustomization below", stage.testbed.data_dir()))?;
        let shown = stage.kubectl(&["apply", "-k", &overlay.display().to_string()]).await?;
        screen.seen(&format!("{} objects are installed", shown.lines().count()), start.elapsed());
        // Until then a watch may be told that its storage is only being prepared, and takes a while to be sure of itself again.
        stage.kubectl(&["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]).await?;
        stage.kubectl(&["config", "set-context", "--current", "--namespace", CONTROL_NAMESPACE]).await?;

        let start = Instant::now();
        let executable = &executables[&OurProgram::Controller];
        let controller = start_controller(&stage.testbed, executable, &CONTROLLER_FLAGS);
        let controller = screen.during("starting the controller", controller).await?;
        stage.ours.lock().push(controller.process);
        screen.seen("the controller is ready", start.elapsed());
        Ok(stage)
    }

    /// Shows a call of kubectl and makes it; it must succeed. Yields what it printed, unshown.
    pub(super) async fn kubectl(&self, arguments: &[&str]) -> Result<String, DemoError> {
        self.screen.command(&command_line(arguments));
        Ok(kubectl::must(&self.testbed, arguments).await?)
    }

    /// Shows a call of kubectl, makes it, and shows what it printed.
    pub(super) async fn show(&self, arguments: &[&str]) -> Result<(), DemoError> {
        let printed = self.kubectl(arguments).await?;
        self.screen.text(&printed);
        Ok(())
    }

    /// What should run and does not.
    pub(super) fn first_ended(&self) -> Option<Ended> {
        let ours = self.ours.lock().iter_mut().find_map(Process::ended);
        ours.or_else(|| self.testbed.first_ended())
    }

    /// What runs, for `cargo testbed status` and `down`.
    pub(super) fn record(&self) -> Record {
        Record::of(&self.testbed, &self.ours.lock())
    }

    /// Ends everything in good order: the controller first, so that it can give its leases back.
    pub(super) async fn strike(self) {
        let mut ours = self.ours.into_inner();
        while let Some(mut last) = ours.pop() {
            last.terminate(std::time::Duration::from_secs(15)).await;
        }
        self.testbed.stop().await;
    }
}
