//! Takes the API server of a running testbed away and brings it back: asleep, or dead and started anew on the same port with the same etcd.
//! Everything else goes on meanwhile; [`Testbed::ended`] reports an API server that was killed like any other program that ended.

use std::time::{Duration, Instant};

use crate::{
    launch::LaunchError,
    process::{Process, last_lines},
    program::Program,
    testbed::Testbed,
};

const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(100);
const LAST_LINES: usize = 15;

impl Testbed {
    /// The API server stops where it is: connections stay and new ones are accepted by the kernel, but nobody answers.
    pub fn pause_api_server(&self) {
        self.with_api_server(Process::pause);
    }

    /// The API server goes on after [`Testbed::pause_api_server`]; what was sent meanwhile is answered now.
    pub fn resume_api_server(&self) {
        self.with_api_server(Process::resume);
    }

    /// The API server dies at once: connections break and new ones are refused.
    pub fn kill_api_server(&self) {
        self.with_api_server(Process::kill);
    }

    /// Starts the API server again after [`Testbed::kill_api_server`]; it is ready when this returns.
    pub async fn start_api_server(&self) -> Result<(), LaunchError> {
        let url = format!("{}/readyz", self.server_url);
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.revive()?;
            let Some(objection) = self.probe.objection(&url).await else { return Ok(()) };
            if Instant::now() >= deadline {
                let log = self.folder.log(Program::KubeApiserver.name());
                return Err(LaunchError::NotReady {
                    program: Program::KubeApiserver.name().to_owned(),
                    patience: PATIENCE,
                    objection,
                    last_lines: last_lines(&log, LAST_LINES),
                    log,
                });
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Starts it if it does not run. It may have to be done more than once, because meanwhile somebody may have taken its port for a moment.
    fn revive(&self) -> Result<(), LaunchError> {
        self.with_api_server(|process| {
            if process.exited().is_some() {
                *process = process.spawn_again(&self.guard).map_err(|source| LaunchError::Spawn {
                    program: Program::KubeApiserver.name().to_owned(),
                    executable: self.binaries.path(Program::KubeApiserver),
                    source,
                })?;
            }
            Ok(())
        })
    }

    fn with_api_server<T>(&self, act: impl FnOnce(&mut Process) -> T) -> T {
        let mut running = self.running.lock();
        let api_server = running.iter_mut().find(|(program, _)| *program == Program::KubeApiserver);
        let (_, process) = api_server.expect("a testbed has an API server from its start to its end");
        act(process)
    }
}
