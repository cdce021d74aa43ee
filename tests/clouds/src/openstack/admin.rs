//! The administrator of an OpenStack: a token and calls with it, for tests that furnish a project or look behind the provider's back.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::StandInError;

const PATIENCE: Duration = Duration::from_secs(120);

/// Somebody with a token, usually the administrator.
#[derive(Clone)]
pub struct Admin {
    auth_url: String,
    token: String,
    catalogue: Value,
    client: reqwest::Client,
}

impl Admin {
    /// The administrator's password, as `lab.py prepare` has set it.
    pub const PASSWORD: &str = "millwright";

    pub(super) async fn of(auth_url: &str) -> Result<Self, StandInError> {
        let user = json!({ "name": "admin", "domain": { "id": "default" }, "password": Self::PASSWORD });
        let project = json!({ "name": "admin", "domain": { "id": "default" } });
        Self::with_password(auth_url, &user, &project).await
    }

    /// Somebody else, by what Keystone calls `user` and `project`.
    pub async fn with_password(auth_url: &str, user: &Value, project: &Value) -> Result<Self, StandInError> {
        let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build();
        let url = format!("{auth_url}/auth/tokens");
        let asked =
            |reason: String| StandInError::Asked { method: "POST".to_owned(), url: url.clone(), reason };
        let client = client.map_err(|error| asked(error.to_string()))?;
        let identity = json!({ "methods": ["password"], "password": { "user": user } });
        let body = json!({ "auth": { "identity": identity, "scope": { "project": project } } });
        let answer = client.post(&url).json(&body).send().await.map_err(|error| asked(error.to_string()))?;
        let status = answer.status();
        let token = answer.headers().get("x-subject-token").and_then(|token| token.to_str().ok());
        let token = token.map(str::to_owned).ok_or_else(|| asked(status.to_string()))?;
        let answer: Value = answer.json().await.map_err(|error| asked(error.to_string()))?;
        Ok(Self {
            auth_url: auth_url.to_owned(),
            token,
            catalogue: answer["token"]["catalog"].clone(),
            client,
        })
    }

    /// Keystone's, ending in `/v3`.
    pub fn auth_url(&self) -> &str {
        &self.auth_url
    }

    /// The address of a service by its type in the catalogue, such as `compute`.
    pub fn endpoint(&self, service: &str) -> Option<&str> {
        let services = self.catalogue.as_array()?;
        let service = services.iter().find(|known| known["type"] == service)?;
        let public = service["endpoints"].as_array()?.iter().find(|one| one["interface"] == "public")?;
        public["url"].as_str()
    }

    /// Calls `path` of the service of that type, and returns the JSON of a good answer (null where there is none).
    pub async fn call(
        &self,
        method: Method,
        service: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, StandInError> {
        let base = if service == "identity" { Some(self.auth_url.as_str()) } else { self.endpoint(service) };
        let url = format!("{}{path}", base.unwrap_or_default());
        let mut request = self.client.request(method.clone(), &url).header("x-auth-token", &self.token);
        if service == "compute" {
            request = request.header("openstack-api-version", "compute 2.90");
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        answered(request, &method, &url).await
    }

    /// Uploads bytes to a path of the service.
    pub async fn upload(&self, service: &str, path: &str, bytes: Vec<u8>) -> Result<(), StandInError> {
        let url = format!("{}{path}", self.endpoint(service).unwrap_or_default());
        let request = self.client.put(&url).header("x-auth-token", &self.token);
        let request = request.header("content-type", "application/octet-stream").body(bytes);
        answered(request, &Method::PUT, &url).await.map(drop)
    }
}

async fn answered(
    request: reqwest::RequestBuilder,
    method: &Method,
    url: &str,
) -> Result<Value, StandInError> {
    let asked =
        |reason: String| StandInError::Asked { method: method.to_string(), url: url.to_owned(), reason };
    let answer = request.send().await.map_err(|error| asked(error.to_string()))?;
    let status = answer.status();
    let text = answer.text().await.map_err(|error| asked(error.to_string()))?;
    if !status.is_success() {
        return Err(asked(format!("{status}: {text}")));
    }
    if text.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&text).map_err(|error| asked(error.to_string()))
}
