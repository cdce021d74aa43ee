//! The binary itself.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::certificates::{CertificateDir, Pair};

fn webhook(certificates: &CertificateDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millwright-webhook"));
    command
        .arg(format!("--tls-cert-file={}", certificates.certificate().display()))
        .arg(format!("--tls-key-file={}", certificates.key().display()))
        .arg("--listen=127.0.0.1:0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

#[test]
fn it_tells_where_it_listens_and_ends_well_on_sigterm() {
    let certificates = CertificateDir::with(&Pair::valid());
    let mut child =
        webhook(&certificates).args(["--metrics-listen=127.0.0.1:0", "--log-format=json"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let listening = lines.find(|line| line.contains("listening")).unwrap();
    let line: serde_json::Value = serde_json::from_str(&listening).unwrap();
    assert!(line["reviews"].as_str().unwrap().starts_with("127.0.0.1:"), "{listening}");

    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let rest: Vec<String> = lines.collect();
    assert!(child.wait().unwrap().success(), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("SIGTERM")), "{rest:?}");
}

#[test]
fn a_taken_port_ends_it_with_the_flag_to_change() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let flag = format!("--metrics-listen={}", taken.local_addr().unwrap());
    let mut child = webhook(&CertificateDir::with(&Pair::valid())).arg(&flag).spawn().unwrap();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(told.contains(&flag.replace('=', " ")) && told.contains("is taken"), "{told}");
}
