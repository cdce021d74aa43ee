//! What a bench runs on: release builds of controller and simulated cloud, an API server and nothing else.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::{
    arguments::BenchArguments,
    error::BenchError,
    observer::{Observer, Resource},
    proc::Proc,
    workload::{self, Class},
};
use crate::{
    cargo_build::{OurProgram, Profile, build},
    cli::Record,
    cloud::Cloud,
    kubectl,
    options::{Components, Data, Options},
    ours::{ControllerProcess, start_controller, start_simcloud},
    overlay::{self, Registration},
    process::{Ended, Process},
    screen::Screen,
    testbed::Testbed,
};

/// Everything that runs, and the ways to it.
pub(super) struct Setting {
    pub(super) screen: Arc<Screen>,
    pub(super) cloud: Cloud,
    pub(super) observer: Observer,
    executable: PathBuf,
    controller_flags: Vec<String>,
    controller: Mutex<ControllerAt>,
    // Dropped before the testbed, whose guard they belong to. The controller is the last.
    ours: Mutex<Vec<Process>>,
    pub(super) testbed: Testbed,
}

/// The controller that runs now.
#[derive(Debug, Clone)]
pub(super) struct ControllerAt {
    /// Its process.
    pub(super) proc: Proc,
    /// Where it answers `/metrics`.
    pub(super) url: String,
}

impl ControllerAt {
    fn of(controller: &ControllerProcess) -> Self {
        Self { proc: Proc(controller.process.pid()), url: controller.url.clone() }
    }
}

/// How long one of our programs may take to end.
const PATIENCE: Duration = Duration::from_secs(15);

const PROGRAMS: [OurProgram; 2] = [OurProgram::Controller, OurProgram::Simcloud];

impl Setting {
    /// Builds, starts and installs everything; the MachineDeployment comes later.
    pub(super) async fn prepare(
        folder: &Path,
        arguments: &BenchArguments,
        screen: &Arc<Screen>,
    ) -> Result<Self, BenchError> {
        screen.title("Preparing");
        let start = Instant::now();
        screen.text("building controller and simulated cloud for release; the first time takes minutes");
        let executables = build(&PROGRAMS, Profile::Release).await?;
        screen.seen("our programs are built", start.elapsed());

        let start = Instant::now();
        let options = Options {
            data: Data::Folder(folder.to_owned()),
            components: Components::ApiServerOnly,
            progress: Arc::<Screen>::clone(screen),
            ..Options::default()
        };
        let testbed = screen.during("starting the API server", Testbed::start(options)).await?;
        let simcloud = start_simcloud(&testbed, &executables[&OurProgram::Simcloud]).await?;
        let overlay = overlay::write(testbed.data_dir(), Registration::None)
            .map_err(BenchError::file("write a kustomization below", testbed.data_dir()))?;
        kubectl::must(&testbed, &["apply", "-k", &overlay.display().to_string()]).await?;
        let observer = Observer::new(&testbed).await?;
        let cloud = simcloud.cloud;
        observer.create(Resource::Secrets, &workload::secret(cloud.token())).await?;
        for class in [Class::Old, Class::New] {
            observer.create(Resource::Classes, &workload::class(class, cloud.url())).await?;
        }
        let executable = executables[&OurProgram::Controller].clone();
        let controller_flags = arguments.controller_flags.clone();
        let controller = run_controller(&testbed, &executable, &controller_flags).await?;
        screen.seen("API server, simulated cloud and controller are ready", start.elapsed());
        Ok(Self {
            screen: Arc::clone(screen),
            cloud,
            observer,
            executable,
            controller_flags,
            controller: Mutex::new(ControllerAt::of(&controller)),
            ours: Mutex::new(vec![simcloud.process, controller.process]),
            testbed,
        })
    }

    /// The controller that runs now.
    pub(super) fn controller(&self) -> ControllerAt {
        self.controller.lock().clone()
    }

    /// Ends the controller in good order, so that its leases are free.
    pub(super) async fn end_controller(&self) {
        let last = self.ours.lock().pop();
        if let Some(mut controller) = last {
            controller.terminate(PATIENCE).await;
        }
    }

    /// Starts a controller in the place of the one that was ended.
    pub(super) async fn start_controller(&self) -> Result<(), BenchError> {
        let controller = run_controller(&self.testbed, &self.executable, &self.controller_flags).await?;
        *self.controller.lock() = ControllerAt::of(&controller);
        self.ours.lock().push(controller.process);
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

    /// Ends everything in good order.
    pub(super) async fn end(self) {
        let mut ours = self.ours.into_inner();
        while let Some(mut last) = ours.pop() {
            last.terminate(PATIENCE).await;
        }
        self.testbed.stop().await;
    }
}

async fn run_controller(
    testbed: &Testbed,
    executable: &Path,
    flags: &[String],
) -> Result<ControllerProcess, BenchError> {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    Ok(start_controller(testbed, executable, &flags).await?)
}
