use super::*;

use std::collections::BTreeMap;
use std::time::{Duration, Instant as Now};

use millwright_cloud_http::{CloudAccess, HttpClient};
use millwright_provider::{MachineView, Registry as Providers};
use millwright_simcloud::{Config, SimCloud};
use prometheus::{Registry, TextEncoder};
use serde_json::json;

use crate::ServedProviders;

const TOKEN: &str = "t";

fn shown(registry: &Registry) -> String {
    TextEncoder::new().encode_to_string(&registry.gather()).unwrap()
}

#[tokio::test]
async fn calls_are_measured_by_operation_and_failures_by_the_number_of_their_code() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let cloud = SimCloud::start(Config::new(TOKEN)).await.unwrap();
    let registry = Registry::new();
    let metrics = CloudMetrics::register(&registry).unwrap();
    let calls = Arc::new(crate::cloud_calls::CloudCalls::register(&registry).unwrap());
    let access = CloudAccess::over(Arc::new(HttpClient::new().unwrap())).told_to(calls);
    let linked: Providers<dyn Provider> = crate::linked_providers(access).unwrap();
    let providers = ServedProviders::measured(&linked, &metrics).unwrap();
    let provider = providers.get("Local").unwrap();

    let spec = json!({
        "endpoint": cloud.url(), "size": "small", "image": "ubuntu-24.04", "zone": "local-a",
        "tags": {"kubernetes.io/cluster/one": "1", "kubernetes.io/role/node": "1"},
    });
    let class = ClassView {
        dialect: millwright_provider::Dialect::Gardener,
        name: "small",
        namespace: "ns",
        spec: &spec,
        node_template: None,
    };
    let secret = [("token", TOKEN), ("userData", "#cloud-config")];
    let secret: BTreeMap<_, _> =
        secret.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into();
    let credentials = Credentials::merge([secret]);
    let deadline = Deadline::after(Now::now(), Duration::from_secs(120));
    let machine = MachineView { name: "m".into(), uid: Some("u".into()), ..MachineView::default() };
    let target = Target { class, machine: &machine, credentials: &credentials, deadline };

    assert_eq!(provider.list(class, &credentials, deadline).await.unwrap(), []);
    assert_eq!(provider.status(target).await.unwrap_err().code, MachineCode::NotFound);
    assert_eq!(provider.initialize(target).await.unwrap_err().code, MachineCode::Unimplemented);

    let text = shown(&registry);
    let listed =
        r#"mcm_cloud_api_driver_request_duration_seconds_count{operation="list_machine",provider="local"} 1"#;
    let missing = r#"mcm_cloud_api_driver_requests_failed_total{error_code="5",operation="get_machine_status",provider="local"} 1"#;
    assert!(text.contains(listed) && text.contains(missing), "{text}");
    let asked = r#"mcm_cloud_api_requests_total{provider="local",service="vms.list"} 2"#;
    assert!(text.contains(asked), "{text}");
    // What a provider does not offer is neither.
    assert!(!text.contains("initialize_machine"), "{text}");
    assert!(!text.contains(r#"_count{operation="get_machine_status""#), "{text}");
    cloud.stop().await;
}
