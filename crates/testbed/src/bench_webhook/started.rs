//! A webhook as a process of its own, without an API server: how long it takes to start, and where it listens.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{client::Target, error::WebhookBenchError};
use crate::{guard::Guard, pki::Pki, ports::free_ports, process::Process};

/// How long it may take, far beyond what is aimed at.
const PATIENCE: Duration = Duration::from_secs(30);

/// The files it is started with.
pub(super) struct Program {
    pub(super) executable: PathBuf,
    pub(super) flags: Vec<String>,
    folder: PathBuf,
    ca_pem: String,
}

/// It runs and is ready.
pub(super) struct Started {
    pub(super) process: Process,
    pub(super) target: Target,
    /// From its start to the first time that it said it was ready.
    pub(super) took: Duration,
}

impl Program {
    /// Makes a certificate for it.
    pub(super) fn new(executable: &Path, folder: &Path, flags: &[String]) -> Result<Self, WebhookBenchError> {
        let pki = Pki::generate()?;
        let issued = pki.issue_serving(&["127.0.0.1"])?;
        for (name, content) in [("webhook.crt", &issued.certificate), ("webhook.key", &issued.key)] {
            let path = folder.join(name);
            crate::private_file::write(&path, content).map_err(WebhookBenchError::file("write", &path))?;
        }
        Ok(Self {
            executable: executable.to_owned(),
            flags: flags.to_vec(),
            folder: folder.to_owned(),
            ca_pem: pki.ca_pem(),
        })
    }

    /// Starts it and waits until it is ready.
    pub(super) async fn start(&self, guard: &Guard) -> Result<Started, WebhookBenchError> {
        let [port, plain] = free_ports::<2>()?;
        let log = self.folder.join("webhook.log");
        let mut command = guard.command(&self.executable);
        command
            .arg(format!("--listen=127.0.0.1:{port}"))
            .arg(format!("--metrics-listen=127.0.0.1:{plain}"))
            .arg(format!("--tls-cert-file={}", self.folder.join("webhook.crt").display()))
            .arg(format!("--tls-key-file={}", self.folder.join("webhook.key").display()))
            .args(&self.flags);
        let begun = Instant::now();
        let mut process = Process::spawn("millwright-webhook", command, log.clone())
            .map_err(WebhookBenchError::file("start", &self.executable))?;
        let here = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        while !is_ready(here(plain)).await {
            if let Some(ended) = process.ended() {
                return Err(ended.into());
            }
            if begun.elapsed() > PATIENCE {
                return Err(WebhookBenchError::Silent { seconds: PATIENCE.as_secs(), log });
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let took = begun.elapsed();
        let target = Target { address: here(port), ca_pem: self.ca_pem.clone() };
        Ok(Started { process, target, took })
    }
}

async fn is_ready(address: SocketAddr) -> bool {
    let asking = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await?;
        Ok::<_, std::io::Error>(&head == b"HTTP/1.1 200")
    };
    matches!(tokio::time::timeout(PATIENCE, asking).await, Ok(Ok(true)))
}
