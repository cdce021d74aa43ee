//! Google's client for Python drives the stand-in for Compute Engine.

use std::{path::Path, process::Stdio, time::Duration};

use millwright_clouds::{
    Venv,
    gcp::{ApiFiles, GcpFake, Settings},
};
use tokio::process::Command;

const PATIENCE: Duration = Duration::from_secs(240);
const EMAIL: &str = "second@stand-in-project.iam.gserviceaccount.com";

#[tokio::test(flavor = "multi_thread")]
async fn the_operations_of_googles_client_come_to_an_end() {
    let files = ApiFiles::shared().await.unwrap();
    let settings = Settings::default();
    let project = settings.project.clone();
    let fake = GcpFake::start(settings, files).await.unwrap();
    fake.admit(EMAIL, &files.keys[0]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/gcp_second_client.py");
    let run = Command::new(Venv::SecondClients.python().unwrap())
        .arg(script)
        .args([fake.url(), &fake.token_of(EMAIL), &project])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}\n{said}\n{:#?}",
        String::from_utf8_lossy(&output.stdout),
        fake.violations()
    );
    assert_eq!(fake.violations(), Vec::<String>::new());
}
