//! Kinds of other projects that our objects are of: cert-manager's own CRDs, and stand-ins for the Prometheus operator's.

use std::path::Path;

use millwright_testbed::{CertManager, StandardError};
use tokio::sync::OnceCell;

use crate::house::{House, quiet_house};

static INSTALLED: OnceCell<()> = OnceCell::const_new();

/// The quiet house, with these kinds in it.
pub(crate) async fn house_with_foreign_kinds() -> &'static House {
    let house = quiet_house().await;
    INSTALLED.get_or_init(|| install(house)).await;
    house
}

async fn install(house: &House) {
    let cert_manager = CertManager::build(&StandardError).await.unwrap();
    CertManager::install_crds(&house.testbed, &cert_manager).await.unwrap();
    let file = "packaged/overlays/foreign/prometheus-operator.yaml";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file).display().to_string();
    house.kubectl_must(&["apply", "-f", &file]).await;
    house.kubectl_must(&["wait", "--for=condition=Established", "--timeout=80s", "-f", &file]).await;
}
