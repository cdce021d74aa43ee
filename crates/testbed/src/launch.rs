//! Starts one program and waits until it is ready; starts it again with other ports when somebody took one in between.
//! Which arguments it gets is the caller's business: `flags` for the control plane, `ours` for our own programs.

use std::{
    io,
    path::PathBuf,
    process::ExitStatus,
    time::{Duration, Instant},
};

use crate::{
    guard::Guard,
    ports::free_ports,
    probe::Probe,
    process::{Process, last_lines},
};

/// Ports enough for every program; those that need one use the first.
pub type Ports = [u16; 2];

/// How to start a program.
pub struct Recipe<'a> {
    /// What it is called in messages.
    pub name: &'a str,
    /// Its file.
    pub executable: PathBuf,
    /// Where its output goes.
    pub log: PathBuf,
    /// Its arguments, for these free ports.
    pub arguments: &'a (dyn Fn(Ports) -> Vec<String> + Sync),
    /// What answers 200 once it is ready.
    pub ready_url: &'a (dyn Fn(Ports) -> String + Sync),
    /// How long it may take to get there.
    pub patience: Duration,
}

/// Why a program is not there.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// It could not be started at all.
    #[error("cannot start {program} ({}): {source}", executable.display())]
    Spawn {
        /// Which one.
        program: String,
        /// Its file.
        executable: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It ended before it was ready.
    #[error("{program} ended at its start ({status}); its log {} ends with:\n{last_lines}", log.display())]
    Exited {
        /// Which one.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// Its log.
        log: PathBuf,
        /// The end of its log.
        last_lines: String,
    },
    /// It runs, but does not get ready.
    #[error(
        "{program} is not ready after {} s: {objection}; its log {} ends with:\n{last_lines}",
        patience.as_secs(),
        log.display()
    )]
    NotReady {
        /// Which one.
        program: String,
        /// How long it had.
        patience: Duration,
        /// What its health check said last.
        objection: String,
        /// Its log.
        log: PathBuf,
        /// The end of its log.
        last_lines: String,
    },
}

const ATTEMPTS: u32 = 5;
const POLL: Duration = Duration::from_millis(50);
const LAST_LINES: usize = 15;

/// Starts the program. What it was given ends with `guard`, whatever is done with the answer.
pub(crate) async fn launch(
    recipe: &Recipe<'_>,
    guard: &Guard,
    probe: &Probe,
) -> Result<(Process, Ports), LaunchError> {
    let mut attempt = 1;
    loop {
        match attempt_launch(recipe, guard, probe).await {
            Err(LaunchError::Exited { log, .. }) if attempt < ATTEMPTS && a_port_was_taken(&log) => {
                attempt += 1
            }
            outcome => return outcome,
        }
    }
}

fn a_port_was_taken(log: &std::path::Path) -> bool {
    // Go and Rust disagree about the first letter.
    last_lines(log, usize::MAX).to_lowercase().contains("address already in use")
}

async fn attempt_launch(
    recipe: &Recipe<'_>,
    guard: &Guard,
    probe: &Probe,
) -> Result<(Process, Ports), LaunchError> {
    let Recipe { name, executable, log, arguments, ready_url, patience } = recipe;
    let patience = *patience;
    let program = || (*name).to_owned();
    let spawn_error =
        |source| LaunchError::Spawn { program: program(), executable: executable.clone(), source };
    let ports = free_ports().map_err(spawn_error)?;
    let mut command = guard.command(executable);
    command.args(arguments(ports));
    let mut running = Process::spawn(*name, command, log.clone()).map_err(spawn_error)?;

    let url = ready_url(ports);
    let deadline = Instant::now() + patience;
    loop {
        let objection = probe.objection(&url).await;
        // Asked after the answer came: else another testbed's program on a port lost to it would count as ours.
        if let Some(status) = running.exited() {
            let last_lines = last_lines(log, LAST_LINES);
            return Err(LaunchError::Exited { program: program(), status, log: log.clone(), last_lines });
        }
        let Some(objection) = objection else { return Ok((running, ports)) };
        if Instant::now() >= deadline {
            running.terminate(Duration::ZERO).await;
            let last_lines = last_lines(log, LAST_LINES);
            return Err(LaunchError::NotReady {
                program: program(),
                patience,
                objection,
                log: log.clone(),
                last_lines,
            });
        }
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        path::Path,
    };

    use super::*;
    use crate::pki::Pki;

    /// Answers every request with 200, as the program would once it is up.
    fn healthy_server() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/readyz", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut connection in listener.incoming().map_while(Result::ok) {
                let _ = connection.read(&mut [0; 4096]);
                let _ = connection
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        });
        url
    }

    async fn launch_script(
        folder: &Path,
        script: &str,
        url: &str,
        patience: Duration,
    ) -> Result<(Process, Ports), LaunchError> {
        crate::tls::install_provider();
        let guard = Guard::start().unwrap();
        let probe = Probe::new(&Pki::generate().unwrap().ca_pem()).unwrap();
        let script = format!("cd {}; {script}", folder.display());
        let recipe = Recipe {
            name: "kube-apiserver",
            executable: "sh".into(),
            log: folder.join("log"),
            arguments: &|ports| {
                vec!["-c".into(), script.clone(), "sh".into(), ports[0].to_string(), ports[1].to_string()]
            },
            ready_url: &|_| url.to_owned(),
            patience,
        };
        launch(&recipe, &guard, &probe).await
    }

    #[tokio::test]
    async fn a_taken_port_is_answered_with_another_attempt() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo $1 >>tried; \
            if [ $(wc -l <tried) -lt 3 ]; then echo 'bind: address already in use'; exit 1; fi; exit 7";
        let outcome =
            launch_script(folder.path(), script, "http://127.0.0.1:1/", Duration::from_secs(60)).await;
        let Err(LaunchError::Exited { status, .. }) = outcome else { panic!("it should have ended") };
        assert_eq!(status.code(), Some(7), "the third attempt found its ports free");
        let tried = std::fs::read_to_string(folder.path().join("tried")).unwrap();
        assert_eq!(tried.lines().count(), 3);
    }

    #[tokio::test]
    async fn attempts_end_when_every_port_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo $1 >>tried; echo 'bind: address already in use'; exit 1";
        let outcome =
            launch_script(folder.path(), script, "http://127.0.0.1:1/", Duration::from_secs(60)).await;
        assert!(outcome.err().unwrap().to_string().contains("address already in use"));
        let tried = std::fs::read_to_string(folder.path().join("tried")).unwrap();
        assert_eq!(tried.lines().count(), ATTEMPTS as usize);
    }

    #[tokio::test]
    async fn an_early_end_names_program_log_and_last_words() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = launch_script(
            folder.path(),
            "echo no such flag; exit 2",
            "http://127.0.0.1:1/",
            Duration::from_secs(60),
        )
        .await;
        let message = outcome.err().unwrap().to_string();
        assert!(message.starts_with("kube-apiserver ended at its start (exit status: 2)"), "{message}");
        assert!(message.contains(&folder.path().join("log").display().to_string()), "{message}");
        assert!(message.ends_with("no such flag"), "{message}");
    }

    #[tokio::test]
    async fn silence_ends_in_a_time_out_that_names_the_address() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = launch_script(
            folder.path(),
            "echo still loading; exec sleep 600",
            "http://127.0.0.1:1/readyz",
            Duration::from_millis(300),
        )
        .await;
        let message = outcome.err().unwrap().to_string();
        assert!(message.contains("http://127.0.0.1:1/readyz"), "{message}");
        assert!(message.ends_with("still loading"), "{message}");
    }

    #[tokio::test]
    async fn a_healthy_program_is_launched() {
        let folder = tempfile::tempdir().unwrap();
        let (running, ports) =
            launch_script(folder.path(), "exec sleep 600", &healthy_server(), Duration::from_secs(60))
                .await
                .unwrap();
        assert_eq!(running.name(), "kube-apiserver");
        assert_ne!(ports[0], ports[1]);
    }
}
