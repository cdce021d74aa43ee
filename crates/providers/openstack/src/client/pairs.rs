//! The addresses of pods that a server's ports must let through.

use millwright_cloud_http::Urgency;
use serde_json::json;

use super::calls::{Call, Calls};
use super::lookup::{self, Kind};
use super::neutron::{Pair, Port};
use super::refusal::CallError;
use super::service::Service;
use crate::pod_cidr::is_same;
use crate::spec::{Networks, Spec, Traffic};

/// Whether any port must let anything through.
pub(crate) fn are_wanted(spec: &Spec) -> bool {
    let carries_pods = match &spec.networks {
        Networks::Attached(networks) => {
            networks.iter().any(|network| network.traffic == Traffic::NodesAndPods)
        }
        Networks::OwnPort { .. } => true,
    };
    carries_pods && !spec.pod_cidrs.is_empty()
}

/// The server's ports through which pods' addresses go.
pub(crate) async fn ports_of<'p>(
    calls: &Calls<'_>,
    spec: &Spec,
    server: &str,
    ports: &'p [Port],
) -> Result<Vec<&'p Port>, CallError> {
    let own = ports.iter().filter(|port| port.device_id == server);
    let Networks::Attached(networks) = &spec.networks else { return Ok(own.collect()) };
    let mut of_pods = Vec::new();
    for network in networks.iter().filter(|network| network.traffic == Traffic::NodesAndPods) {
        of_pods.push(lookup::id(calls, Kind::Network, &network.network).await?);
    }
    Ok(own.filter(|port| of_pods.contains(&port.network_id)).collect())
}

/// The ranges that a port does not let through yet. One without port security lets everything through.
pub(crate) fn missing<'s>(spec: &'s Spec, port: &Port) -> Vec<&'s str> {
    if port.port_security_enabled == Some(false) {
        return Vec::new();
    }
    let cidrs = spec.pod_cidrs.iter().map(String::as_str);
    let is_there = |cidr: &str| port.allowed_address_pairs.iter().any(|pair| is_same(&pair.ip_address, cidr));
    cidrs.filter(|cidr| !is_there(cidr)).collect()
}

/// Lets them through, beside what the port lets through already.
pub(crate) async fn allow(calls: &Calls<'_>, port: &Port, cidrs: &[&str]) -> Result<(), CallError> {
    let path = format!("/ports/{}", port.id);
    let call =
        Call { operation: "ports.update", urgency: Urgency::Create, service: Service::Network, path: &path };
    calls
        .put_unless_changed(
            call,
            port.revision_number,
            &json!({ "port": { "allowed_address_pairs": together(port, cidrs) } }),
        )
        .await
}

fn together(port: &Port, cidrs: &[&str]) -> Vec<Pair> {
    let mut pairs = port.allowed_address_pairs.clone();
    pairs.extend(cidrs.iter().map(|cidr| Pair { ip_address: (*cidr).to_owned(), mac_address: None }));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(pairs: &[&str], security: Option<bool>) -> Port {
        serde_json::from_value(json!({
            "id": "p", "network_id": "n", "port_security_enabled": security,
            "allowed_address_pairs": pairs.iter().map(|cidr| json!({ "ip_address": cidr, "mac_address": "fa:16" })).collect::<Vec<_>>(),
        }))
        .unwrap()
    }

    fn spec() -> Spec {
        crate::gardener::decode(&json!({
            "apiVersion": crate::schema::API_VERSION, "kind": crate::schema::KIND,
            "spec": { "imageID": "i", "region": "R", "flavorName": "f", "networkID": "n",
                "podNetworkCIDRs": ["10.0.0.0/8", "2001:db8::/64"], "tags": {} }
        }))
        .unwrap()
    }

    #[test]
    fn all_ranges_are_let_through_and_pairs_that_were_there_are_kept() {
        let spec = spec();
        let port = port(&["192.0.2.7", "10.0.0.0/8"], Some(true));
        let missing = missing(&spec, &port);
        assert_eq!(missing, ["2001:db8::/64"]);
        let pairs = together(&port, &missing);
        let addresses: Vec<&str> = pairs.iter().map(|pair| pair.ip_address.as_str()).collect();
        assert_eq!(addresses, ["192.0.2.7", "10.0.0.0/8", "2001:db8::/64"]);
        assert_eq!(pairs[0].mac_address.as_deref(), Some("fa:16"));
    }

    #[test]
    fn a_range_that_neutron_spells_in_another_way_is_not_asked_for_for_ever() {
        let spec = Spec { pod_cidrs: vec!["2001:DB8:0::/64".into(), "10.0.0.0/8".into()], ..spec() };
        assert_eq!(missing(&spec, &port(&["2001:db8::/64", "10.0.0.0/8"], None)), Vec::<&str>::new());
        assert_eq!(missing(&spec, &port(&["2001:db8::/65", "10.0.0.0"], None)).len(), 2);
    }

    #[test]
    fn a_port_without_security_lets_everything_through() {
        assert!(missing(&spec(), &port(&[], Some(false))).is_empty());
        assert_eq!(missing(&spec(), &port(&[], None)).len(), 2);
    }
}
