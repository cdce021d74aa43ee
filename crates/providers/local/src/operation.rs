//! What a call is called in metrics.

use http::Method;

/// The name of a call: what it is about and what it does.
pub(crate) fn operation(method: &Method, path: &str) -> &'static str {
    let parts: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
    match (method.as_str(), parts.as_slice()) {
        ("POST", ["vms"]) => "vms.create",
        ("GET", ["vms"]) => "vms.list",
        ("GET", ["vms", _]) => "vms.get",
        ("DELETE", ["vms", _]) => "vms.delete",
        ("GET", ["orders", _]) => "orders.get",
        ("GET", ["nics"]) => "nics.list",
        ("DELETE", ["nics", _]) => "nics.delete",
        ("GET", ["disks"]) => "disks.list",
        ("DELETE", ["disks", _]) => "disks.delete",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_name_that_names_no_object() {
        for (method, path, name) in [
            (Method::POST, "/v1/vms", "vms.create"),
            (Method::GET, "/v1/vms", "vms.list"),
            (Method::GET, "/v1/vms/vm-1", "vms.get"),
            (Method::DELETE, "/v1/vms/vm-1", "vms.delete"),
            (Method::GET, "/v1/orders/ord-1", "orders.get"),
            (Method::GET, "/v1/nics", "nics.list"),
            (Method::DELETE, "/v1/nics/nic-1", "nics.delete"),
            (Method::GET, "/v1/disks", "disks.list"),
            (Method::DELETE, "/v1/disks/disk-1", "disks.delete"),
        ] {
            assert_eq!(operation(&method, path), name, "{method} {path}");
        }
    }
}
