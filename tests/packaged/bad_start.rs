//! Programs that can't start say which flag is wrong and what to do.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use millwright_testbed::{Identity, LaunchError, OurProgram, Recipe};

use crate::controller::Controller;
use crate::house::{House, house};
use crate::runtime::run;

fn last_words<T>(outcome: Result<T, LaunchError>) -> String {
    match outcome {
        Err(LaunchError::Exited { status, last_lines, .. }) => {
            assert_eq!(status.code(), Some(1), "{last_lines}");
            assert!(!last_lines.contains("panicked"), "{last_lines}");
            last_lines
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it started"),
    }
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

fn file(house: &House, name: &str, content: &str) -> PathBuf {
    let path = house.folder("bad-start").join(name);
    std::fs::write(&path, content).unwrap();
    path
}

async fn controller_with(house: &House, kubeconfig: &Path) -> String {
    last_words(Controller::start(house, kubeconfig, "default", &[]).await.map(drop))
}

#[test]
fn a_missing_or_broken_kubeconfig_is_named_with_its_flag() {
    run(async {
        let house = house().await;
        let missing = house.folder("bad-start").join("none.yaml");
        assert_says(&controller_with(house, &missing).await, &["none.yaml (from --", "-kubeconfig)"]);
        let broken = file(house, "broken.yaml", "clusters: [");
        let said = controller_with(house, &broken).await;
        assert_says(&said, &["broken.yaml (from --", "-kubeconfig)", "is not a kubeconfig"]);
    });
}

#[test]
fn a_kubeconfig_that_the_api_server_does_not_know_is_named_with_its_flag() {
    run(async {
        let house = house().await;
        // The token of this template is a placeholder.
        let stranger = file(house, "stranger.yaml", &house.testbed.bootstrap_kubeconfig());
        let said = controller_with(house, &stranger).await;
        assert_says(&said, &["the API server refuses the credentials", "correct --control-kubeconfig"]);
    });
}

/// Starts a program with arguments of its own, which it must not survive.
async fn refused(house: &House, program: OurProgram, arguments: &[String]) -> String {
    let name = format!("{}-bad-start", program.name());
    let recipe = Recipe {
        name: &name,
        executable: house.executables[&program].clone(),
        log: house.testbed.log_file(&name),
        arguments: &|_| arguments.to_vec(),
        ready_url: &|[port, _]| format!("http://127.0.0.1:{port}/readyz"),
        patience: Duration::from_secs(120),
    };
    last_words(house.testbed.start_process(&recipe).await.map(drop))
}

#[test]
fn a_taken_port_is_named_with_its_flag() {
    run(async {
        let house = house().await;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let kubeconfig = house.testbed.kubeconfig(Identity::Controller);
        let controller = [
            format!("--control-kubeconfig={}", kubeconfig.display()),
            format!("--target-kubeconfig={}", kubeconfig.display()),
            "--address=127.0.0.1".to_owned(),
            format!("--port={port}"),
        ];
        let said = refused(house, OurProgram::Controller, &controller).await;
        let flag = format!("--port {port}");
        assert_says(&said, &[&flag, "another process listens", "choose another port"]);

        let certificate = house.testbed.issue_serving_certificate(&["127.0.0.1"]).unwrap();
        let webhook = [
            format!("--listen=127.0.0.1:{port}"),
            "--metrics-listen=127.0.0.1:0".to_owned(),
            format!("--tls-cert-file={}", file(house, "tls.crt", &certificate.certificate).display()),
            format!("--tls-key-file={}", file(house, "tls.key", &certificate.key).display()),
        ];
        let said = refused(house, OurProgram::Webhook, &webhook).await;
        assert_says(&said, &["--listen", "another process listens", "choose another port"]);
    });
}
