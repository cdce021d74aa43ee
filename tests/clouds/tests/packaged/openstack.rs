//! OpenStack.

#[path = "../openstack/tenant.rs"]
#[allow(dead_code, reason = "shared with the tests of the provider, which need all of it")]
mod tenant;

use std::sync::Arc;

use async_trait::async_trait;
use millwright_clouds::{Call, Calls, FaultProxy, JoiningVm, JoiningVms};
use serde_json::{Value, json};

use self::tenant::{CLUSTER, REGION, ROLE, Tenant, cloud};
use crate::{
    run::up_roll_down,
    world::{World, counted},
};

struct OpenStackProject {
    tenant: Arc<Tenant>,
    proxy: FaultProxy,
    auth_url: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_come_are_rolled_and_go_on_openstack() {
    let (openstack, tenant) = (cloud().await, Tenant::new().await);
    let proxy = FaultProxy::before(&openstack.upstreams(), Call::reads_in_openstack).await.unwrap();
    let auth_url = proxy.through(openstack.auth_url());
    up_roll_down(&OpenStackProject { tenant: Arc::new(tenant), proxy, auth_url }).await;
}

#[async_trait]
impl World for OpenStackProject {
    fn provider(&self) -> &'static str {
        "OpenStack"
    }

    /// Where it is, its Secret says.
    fn flags(&self) -> Vec<String> {
        Vec::new()
    }

    fn spec(&self, generation: u32) -> Value {
        self.tenant.spec(&json!({ CLUSTER: "1", ROLE: "1", "generation": generation.to_string() }))
    }

    fn secret(&self) -> Vec<(&'static str, String)> {
        let project = &self.tenant.project;
        vec![
            ("authURL", self.auth_url.clone()),
            ("domainName", "Default".to_owned()),
            ("tenantName", project.name.clone()),
            ("username", project.user_name.clone()),
            ("password", project.password.clone()),
        ]
    }

    fn joining(&self) -> Box<dyn Fn() -> JoiningVms + Send> {
        let tenant = self.tenant.clone();
        Box::new(move || {
            let tenant = tenant.clone();
            Box::pin(async move {
                let servers =
                    tenant.servers().await.into_iter().filter(|server| server["status"] == "ACTIVE");
                let joining = servers.map(|server| JoiningVm {
                    node_name: server["name"].as_str().unwrap_or_default().to_owned(),
                    provider_id: format!(
                        "openstack://{REGION}/{}",
                        server["id"].as_str().unwrap_or_default()
                    ),
                });
                joining.collect()
            })
        })
    }

    async fn left(&self) -> Vec<String> {
        let all = [self.tenant.servers().await, self.tenant.ports().await].concat();
        all.iter().map(|one| format!("{} {}", one["name"], one["id"])).collect()
    }

    fn calls(&self) -> Calls {
        self.proxy.counts()
    }

    fn told(&self) -> String {
        counted(self.proxy.calls().iter().map(|call| kind(&call.method, &call.path)).collect())
    }

    /// The class names subnets, so a port comes and goes with the server; it is told of pods' addresses once it is bound.
    fn changing_calls_of_a_life(&self) -> usize {
        5
    }
}

/// The method and the path without ids and query.
fn kind(method: &http::Method, path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let is_id = |part: &&str| part.len() >= 32 && part.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let parts = path.split('/').map(|part| if is_id(&part) { "ID" } else { part });
    format!("{method} {}", parts.collect::<Vec<_>>().join("/"))
}
