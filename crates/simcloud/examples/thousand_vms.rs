//! How much memory and time a thousand kubelets in one process take.
//!
//! `cargo run --release -p millwright-simcloud --example thousand_vms [VMS] [SECONDS]` boots so many VMs against
//! a stand-in for an API server in a process of its own, lets them renew their leases for that long, and
//! prints the resident memory and the processor time of this process alone.

#[path = "../tests/stand_in/kubernetes.rs"]
mod kubernetes;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_simcloud::{Boot, Config, CreateVm, IfNameTaken, Secret, SimCloud};

use self::kubernetes::Kubernetes;

const SERVER: &str = "api-server";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|argument| argument == SERVER) {
        return serve().await;
    }
    let number = |index: usize, default: u64| arguments.get(index).map_or(Ok(default), |text| text.parse());
    let (vms, seconds) = (number(1, 1000)?, number(2, 30)?);
    let mut server = Server(
        Command::new(std::env::current_exe()?)
            .arg(SERVER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?,
    );
    let mut user_data = String::new();
    BufReader::new(server.0.stdout.as_mut().ok_or("no output of the server")?).read_line(&mut user_data)?;

    let folder = tempfile::tempdir()?;
    let state = folder.path().join("state.jsonl");
    let config = Config { state: Some(state.clone()), ..Config::new("token-of-the-example") };
    let running = SimCloud::start(config).await?;
    report("empty", Instant::now())?;
    let start = Instant::now();
    for index in 0..vms {
        running.cloud().create_vm(CreateVm {
            name: format!("worker-{index}"),
            if_name_taken: IfNameTaken::Allow,
            client_token: format!("uid-{index}"),
            size: "small".to_owned(),
            image: "ubuntu-24.04".to_owned(),
            zone: "local-a".to_owned(),
            disk_gib: 20,
            network: "default".to_owned(),
            tags: BTreeMap::from([
                ("kubernetes.io/cluster/example".to_owned(), "1".to_owned()),
                ("kubernetes.io/role/node".to_owned(), "1".to_owned()),
            ]),
            user_data: Secret::new(user_data.trim()),
            boot: Boot::default(),
        })?;
    }
    report("created", start)?;
    while (running.cloud().stats().joined as u64) < vms {
        if start.elapsed() > Duration::from_secs(600) {
            return Err(
                format!("only {} of {vms} joined in 10 minutes", running.cloud().stats().joined).into()
            );
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    report("joined", start)?;
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    report("lived", start)?;
    println!("state file: {} KiB", std::fs::metadata(state)?.len() / 1024);
    println!("requests to the API server: {:?}", running.cloud().stats().kubernetes);
    running.stop().await;
    Ok(())
}

/// The stand-in, until the parent closes the pipe.
async fn serve() -> Result<(), Box<dyn Error>> {
    let kubernetes = Kubernetes::start().await;
    println!("{}", STANDARD.encode(kubernetes.cloud_config()));
    std::io::stdout().flush()?;
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await??;
    Ok(())
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn report(what: &str, since: Instant) -> Result<(), Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = |key: &str| {
        let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|value| value.parse::<u64>().ok()).unwrap_or_default()
    };
    // Fields 14 and 15 of stat are user and system time in hundredths of a second.
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let ticks: u64 = stat
        .rsplit_once(')')
        .map_or("", |(_, rest)| rest)
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    println!(
        "{what:>8}: {:6.1} s, RSS {:6.1} MiB (peak {:.1}), CPU {:.2} s",
        since.elapsed().as_secs_f64(),
        kib("VmRSS") as f64 / 1024.0,
        kib("VmHWM") as f64 / 1024.0,
        ticks as f64 / 100.0
    );
    Ok(())
}
