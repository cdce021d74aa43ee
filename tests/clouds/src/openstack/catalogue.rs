//! Tells Keystone where a service listens today.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Admin, service::Service};
use crate::StandInError;

const REGION: &str = "RegionOne";

/// Enters `url` for all three interfaces of the service.
pub(super) async fn enter(admin: &Admin, service: Service, url: &str) -> Result<(), StandInError> {
    let id = service_id(admin, service).await?;
    let known = admin.call(Method::GET, "identity", &format!("/endpoints?service_id={id}"), None).await?;
    let known = known["endpoints"].as_array().cloned().unwrap_or_default();
    for interface in ["public", "internal", "admin"] {
        let endpoint = json!({
            "endpoint": { "service_id": id, "interface": interface, "url": url, "region_id": REGION },
        });
        let same = known.iter().find(|endpoint| endpoint["interface"] == interface);
        let (method, path) = match same.and_then(|endpoint| endpoint["id"].as_str()) {
            Some(id) => (Method::PATCH, format!("/endpoints/{id}")),
            None => (Method::POST, "/endpoints".to_owned()),
        };
        admin.call(method, "identity", &path, Some(&endpoint)).await?;
    }
    Ok(())
}

async fn service_id(admin: &Admin, service: Service) -> Result<String, StandInError> {
    let path = format!("/services?type={}", service.catalogue_type());
    let found = admin.call(Method::GET, "identity", &path, None).await?;
    if let Some(id) = found["services"][0]["id"].as_str() {
        return Ok(id.to_owned());
    }
    let body: Value = json!({ "service": { "type": service.catalogue_type(), "name": service.name() } });
    let made = admin.call(Method::POST, "identity", "/services", Some(&body)).await?;
    Ok(made["service"]["id"].as_str().unwrap_or_default().to_owned())
}

/// Without it Keystone's middleware may not judge tokens of others.
pub(super) async fn grant_service_role(admin: &Admin) -> Result<(), StandInError> {
    let first = async |path: &str, kind: &str| -> Result<String, StandInError> {
        let found = admin.call(Method::GET, "identity", path, None).await?;
        Ok(found[kind][0]["id"].as_str().unwrap_or_default().to_owned())
    };
    let role = first("/roles?name=service", "roles").await?;
    let user = first("/users?name=admin", "users").await?;
    let project = first("/projects?name=admin", "projects").await?;
    let path = format!("/projects/{project}/users/{user}/roles/{role}");
    admin.call(Method::PUT, "identity", &path, None).await.map(drop)
}
