//! A pool of machines that an autoscaler works on, and what must be left of it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request};
use kube::Client;
use millwright_simkube::Verb;
use serde_json::Value;

use super::turnstile::Turnstile;
use crate::world::objects::{self, NAMESPACE};
use crate::world::{Plan, Played, Setting, World, in_world};

/// The deployment.
pub(super) const POOL: &str = "pool";

/// A world with a pool, and an autoscaler's way to its API server.
pub(super) struct Pool {
    pub(super) world: Arc<World>,
    pub(super) turnstile: Turnstile,
    client: Client,
}

/// Plays something with a pool of that many machines at rest, and what is left of it must rest too.
pub(super) fn with_pool<T>(replicas: u32, play: impl AsyncFnOnce(&Pool) -> T) -> Played<T> {
    in_world(Setting::alone(Plan::Calm), async move |world| {
        world.apply(objects::secret());
        world.apply(objects::class(objects::CLASS));
        world.apply(objects::deployment(POOL, replicas));
        let turnstile = Turnstile::before(&world);
        let client = world.kube.client("autoscaler", NAMESPACE);
        let pool = Pool { world, turnstile, client };
        pool.world.start();
        pool.world.until_running(replicas as usize).await;
        pool.world.rest(Duration::from_secs(120)).await;
        let yielded = play(&pool).await;
        pool.world.rest(Duration::from_secs(120)).await;
        pool.world.must_rest().await;
        yielded
    })
}

impl Pool {
    /// Sends a request as the autoscaler, and yields the answer or the code of a refusal.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, u16> {
        let kind = if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
        let request = Request::builder()
            .method(method)
            .uri(format!("/apis/machine.sapcloud.io/v1alpha1/namespaces/{NAMESPACE}/{path}"))
            .header("content-type", kind)
            .body(body.map(|body| serde_json::to_vec(body).unwrap()).unwrap_or_default())
            .unwrap();
        match self.client.request(request).await {
            Ok(answer) => Ok(answer),
            Err(kube::Error::Api(status)) => Err(status.code),
            Err(error) => panic!("{error}"),
        }
    }

    /// Names of the machines that are there, sorted.
    pub(super) fn machines(&self) -> Vec<String> {
        let machines = self.world.operator.list("machines");
        machines.iter().map(|machine| machine["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    }

    /// One that would go last by any other rule: it runs, and is the last by name.
    pub(super) fn last(&self) -> String {
        self.machines().pop().unwrap()
    }

    /// The deployment as it is stored.
    pub(super) fn deployment(&self) -> Value {
        self.world.operator.get("machinedeployments", NAMESPACE, POOL).unwrap()
    }

    /// Names of machines whose deletion the controller has asked for.
    pub(super) fn deleted(&self) -> BTreeSet<String> {
        let history = self.world.operator.history();
        let deletions = history.iter().filter(|write| {
            write.resource == "machines" && write.verb == Verb::Delete && write.who.starts_with('c')
        });
        deletions.map(|write| write.name.clone()).collect()
    }

    /// Waits until so many machines run; of all that ever were these have gone, and nobody else.
    pub(super) async fn must_end(&self, count: usize, gone: &[&str]) {
        self.world
            .until(&format!("{gone:?} are gone"), || {
                self.machines().iter().all(|name| !gone.contains(&name.as_str()))
            })
            .await;
        self.world.until_running(count).await;
        self.world.rest(Duration::from_secs(120)).await;
        self.world.until_running(count).await;
        assert_eq!(self.deleted(), gone.iter().map(|name| (*name).to_owned()).collect());
    }
}
