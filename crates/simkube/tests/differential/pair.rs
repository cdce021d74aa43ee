//! The two servers, and what they say to the same script.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Request;
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use millwright_simkube::SimKube;
use millwright_testbed::{Components, Identity, Options, Testbed, kubectl, root};
use serde_json::Value;

use crate::plain::Plain;
use crate::step::Step;

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Pair {
    testbed: Testbed,
    real: Client,
    sim: Client,
}

/// One server in the course of one script.
struct Side {
    client: Client,
    namespace: String,
    saved: BTreeMap<&'static str, Value>,
    plain: Plain,
}

impl Pair {
    /// An API server that nobody else writes to, with our kinds.
    pub(crate) async fn start() -> Self {
        let options = Options { components: Components::ApiServerOnly, ..Options::default() };
        let testbed = Testbed::start(options).await.unwrap_or_else(|error| panic!("{error}"));
        let kinds = root().join("config/crd/bases").display().to_string();
        for arguments in [
            &["apply", "--server-side", "-f", &kinds][..],
            &["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"],
        ] {
            kubectl::must(&testbed, arguments).await.unwrap_or_else(|error| panic!("{error}"));
        }
        let real = testbed.client(Identity::Admin).await.unwrap_or_else(|error| panic!("{error}"));
        Self { testbed, real, sim: SimKube::new().client("test", "default") }
    }

    /// What differs between the answers, a line for each.
    pub(crate) async fn compare(&self, name: &str, steps: &[Step]) -> Vec<String> {
        let namespace = self.testbed.namespace("simkube").await.unwrap_or_else(|error| panic!("{error}"));
        let side = |client: &Client| Side {
            client: client.clone(),
            namespace: namespace.clone(),
            saved: BTreeMap::new(),
            plain: Plain::default(),
        };
        let (mut real, mut sim) = (side(&self.real), side(&self.sim));
        let mut differences = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let (expected, found) = tokio::join!(real.ask(step), sim.ask(step));
            if expected != found {
                let body = step.body.as_ref().map(ToString::to_string).unwrap_or_default();
                differences.push(format!(
                    "{name} step {number}: {} {} {body}\n  real {} {}\n  sim  {} {}",
                    step.method, step.path, expected.0, expected.1, found.0, found.1
                ));
            }
        }
        differences
    }
}

impl Side {
    /// Status and normalised body.
    async fn ask(&mut self, step: &Step) -> (u16, Value) {
        let path = self.fill(&step.path);
        let body = step.body.as_ref().map(|body| self.fill(&body.to_string())).unwrap_or_default();
        let request = Request::builder()
            .method(step.method)
            .uri(path)
            .header("Content-Type", step.content_type)
            .header("Accept", step.accept)
            .body(Body::from(body.into_bytes()))
            .unwrap();
        let answered = async {
            let response = self.client.send(request).await.unwrap();
            let code = response.status().as_u16();
            (code, response.into_body().collect().await.unwrap().to_bytes())
        };
        let (code, bytes) = tokio::time::timeout(PATIENCE, answered).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let documents: Result<Vec<Value>, _> =
            serde_json::Deserializer::from_str(&text).into_iter().collect();
        let body = match documents {
            Err(_) => Value::from(text),
            Ok(mut one) if one.len() == 1 && !step.path.contains("watch=1") => one.remove(0),
            Ok(events) => Value::from(events),
        };
        if let Some(name) = step.saved_as.filter(|_| code < 300) {
            self.saved.insert(name, body.clone());
        }
        (code, self.plain.of(body))
    }

    fn fill(&self, text: &str) -> String {
        let mut text = text.replace("$ns", &self.namespace);
        for (name, answer) in &self.saved {
            let metadata = &answer["metadata"];
            for (key, field) in
                [("uid", "uid"), ("rv", "resourceVersion"), ("name", "name"), ("continue", "continue")]
            {
                text = text.replace(&format!("${key}:{name};"), metadata[field].as_str().unwrap_or("none"));
            }
        }
        text
    }
}
