//! What a bench runs on: release builds of controller and simulated cloud, an API server and nothing else.

use std::{path::Path, sync::Arc, time::Instant};

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
    ours::{start_controller, start_simcloud},
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
    pub(super) controller: Proc,
    /// Where the controller answers `/metrics`.
    pub(super) controller_url: String,
    // Dropped before the testbed, whose guard they belong to.
    ours: Mutex<Vec<Process>>,
    pub(super) testbed: Testbed,
}

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
        let flags: Vec<&str> = arguments.controller_flags.iter().map(String::as_str).collect();
        let controller = start_controller(&testbed, &executables[&OurProgram::Controller], &flags).await?;
        screen.seen("API server, simulated cloud and controller are ready", start.elapsed());
        Ok(Self {
            screen: Arc::clone(screen),
            cloud,
            observer,
            controller: Proc(controller.process.pid()),
            controller_url: controller.url,
            ours: Mutex::new(vec![simcloud.process, controller.process]),
            testbed,
        })
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
            last.terminate(std::time::Duration::from_secs(15)).await;
        }
        self.testbed.stop().await;
    }
}
