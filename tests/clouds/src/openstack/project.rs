//! A project of one's own, with a user that may work in it: what a test has instead of an OpenStack of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Method;
use serde_json::{Value, json};

use super::Admin;
use crate::StandInError;

/// A project and its user.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its id.
    pub id: String,
    /// Its name in the domain `Default`.
    pub name: String,
    /// Its user's id.
    pub user_id: String,
    /// Its user's name in the domain `Default`.
    pub user_name: String,
    /// Its user's password.
    pub password: String,
    auth_url: String,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Project {
    pub(super) async fn create(admin: &Admin, prefix: &str) -> Result<Self, StandInError> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{prefix}-{}-{number}", std::process::id());
        let password = format!("password-of-{name}");
        let body = json!({ "project": { "name": name, "domain_id": "default" } });
        let made = admin.call(Method::POST, "identity", "/projects", Some(&body)).await?;
        let id = text(&made["project"]["id"]);
        let body = json!({ "user": { "name": name, "domain_id": "default", "password": password } });
        let made = admin.call(Method::POST, "identity", "/users", Some(&body)).await?;
        let user_id = text(&made["user"]["id"]);
        let roles = admin.call(Method::GET, "identity", "/roles?name=member", None).await?;
        let role = text(&roles["roles"][0]["id"]);
        let path = format!("/projects/{id}/users/{user_id}/roles/{role}");
        admin.call(Method::PUT, "identity", &path, None).await?;
        Ok(Self {
            id,
            name: name.clone(),
            user_id,
            user_name: name,
            password,
            auth_url: admin.auth_url().to_owned(),
        })
    }

    /// Its user, with a new token.
    pub async fn user(&self) -> Result<Admin, StandInError> {
        let user = json!({ "id": self.user_id, "password": self.password });
        Admin::with_password(&self.auth_url, &user, &json!({ "id": self.id })).await
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
