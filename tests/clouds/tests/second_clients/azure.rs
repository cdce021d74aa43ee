//! Microsoft's clients for Python drive the stand-in for Azure.

use std::{path::Path, process::Stdio, sync::Arc, time::Duration};

use http::StatusCode;
use millwright_clouds::{
    Venv,
    azure::{ArmError, AzureFault, FakeAzure, Misfortune, Models, Settings, Stock, Strikes},
};
use tokio::process::Command;

const PATIENCE: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread")]
async fn the_pollers_of_microsofts_clients_come_to_an_end() {
    let settings = Settings { page: 5, vm_takes: Duration::from_millis(500), ..Settings::default() };
    let models = Models::shared().await.unwrap();
    let fake = FakeAzure::start(settings.clone(), Some(models), Arc::default()).await.unwrap();
    let why = ArmError::new(StatusCode::CONFLICT, "ZonalAllocationFailed", "There is no room in zone 1.");
    fake.arm(AzureFault {
        fits: Box::new(|entry| entry.operation == "PUT virtualMachines" && entry.path.ends_with("/doomed")),
        strikes: Strikes::Always,
        misfortune: Misfortune::FailLater(why),
    });
    let Settings { tenant, client_id, client_secret, subscription, .. } = settings;
    let group = "shoot-one";
    let subnet = format!(
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/shoot-one-vnet/subnets/nodes"
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/azure_second_client.py");
    let run = Command::new(Venv::SecondClients.python().unwrap())
        .arg(script)
        .args([fake.url(), tenant, client_id, client_secret, subscription, group, &subnet])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(fake.violations(), Vec::<String>::new());
    assert_eq!(fake.stock(), Stock::default());
}
