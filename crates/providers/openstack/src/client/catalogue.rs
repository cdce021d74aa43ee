//! Where the services of a region are, as Keystone tells with each token.

use serde::Deserialize;

use super::service::Service;

/// The interface by which services are called.
const INTERFACE: &str = "public";

/// All endpoints of a token.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Catalogue(Vec<Entry>);

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Debug, Deserialize)]
struct Endpoint {
    interface: String,
    url: String,
    region: Option<String>,
    region_id: Option<String>,
}

impl Catalogue {
    /// The address of a service in a region, with its version and without a slash at the end.
    pub(crate) fn address(&self, service: Service, region: &str) -> Option<String> {
        let url =
            self.endpoints(service).find(|endpoint| endpoint.is_in(region)).map(|endpoint| &endpoint.url)?;
        let url = url.trim_end_matches('/');
        Some(match service.version_path() {
            Some(version) => format!("{}{version}", url.strip_suffix(version).unwrap_or(url)),
            None => url.to_owned(),
        })
    }

    /// The regions in which a service is.
    pub(crate) fn regions(&self, service: Service) -> Vec<&str> {
        let regions = self
            .endpoints(service)
            .filter_map(|endpoint| endpoint.region_id.as_deref().or(endpoint.region.as_deref()));
        let mut regions: Vec<&str> = regions.collect();
        regions.sort_unstable();
        regions.dedup();
        regions
    }

    fn endpoints(&self, service: Service) -> impl Iterator<Item = &Endpoint> {
        let kind = service.types().iter().find(|kind| self.0.iter().any(|entry| entry.kind == **kind));
        let entries = self.0.iter().filter(move |entry| Some(&entry.kind.as_str()) == kind);
        entries.flat_map(|entry| &entry.endpoints).filter(|endpoint| endpoint.interface == INTERFACE)
    }
}

impl Endpoint {
    fn is_in(&self, region: &str) -> bool {
        [&self.region_id, &self.region].into_iter().flatten().any(|known| known == region)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_service_is_found_by_region_and_interface_with_its_version() {
        let endpoint = |interface: &str, region: &str, url: &str| json!({ "interface": interface, "region_id": region, "region": region, "url": url });
        let catalogue: Catalogue = serde_json::from_value(json!([
            { "type": "network", "name": "neutron", "endpoints": [
                endpoint("internal", "R1", "http://inside"), endpoint("public", "R2", "https://two/"),
                endpoint("public", "R1", "https://one:9696/v2.0/") ] },
            { "type": "image", "endpoints": [endpoint("public", "R1", "https://image/v2")] },
            { "type": "compute", "endpoints": [endpoint("public", "R1", "https://nova/v2.1/p1")] },
            { "type": "volumev2", "endpoints": [endpoint("public", "R1", "https://old/v2/p1")] },
        ]))
        .unwrap();
        let address = |service, region| catalogue.address(service, region);
        assert_eq!(address(Service::Network, "R1").unwrap(), "https://one:9696/v2.0");
        assert_eq!(address(Service::Network, "R2").unwrap(), "https://two/v2.0");
        assert_eq!(address(Service::Image, "R1").unwrap(), "https://image/v2");
        assert_eq!(address(Service::Compute, "R1").unwrap(), "https://nova/v2.1/p1");
        assert_eq!(address(Service::Compute, "R2"), None);
        assert_eq!(address(Service::Volume, "R1"), None);
        assert_eq!(catalogue.regions(Service::Network), ["R1", "R2"]);
    }
}
