//! The bench's own way to the API server. It counts each of its requests, so that they can be taken off the API server's count.

use http::{Method, Request};
use kube::Client;
use parking_lot::Mutex;
use serde_json::Value;

use super::{traffic::Counts, workload::DEPLOYMENT};
use crate::{
    error::Error,
    identity::Identity,
    ours::CONTROL_NAMESPACE,
    request_counts::{RequestCounts, RequestKind},
    testbed::Testbed,
};

/// What the bench asks about or changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Secrets,
    Pods,
    Classes,
    Deployments,
    Machines,
    Nodes,
}

impl Resource {
    fn group(self) -> &'static str {
        match self {
            Self::Secrets | Self::Pods | Self::Nodes => "",
            Self::Classes | Self::Deployments | Self::Machines => "machine.sapcloud.io",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Secrets => "secrets",
            Self::Pods => "pods",
            Self::Classes => "machineclasses",
            Self::Deployments => "machinedeployments",
            Self::Machines => "machines",
            Self::Nodes => "nodes",
        }
    }

    fn path(self) -> String {
        let plural = self.plural();
        match self {
            Self::Nodes => format!("/api/v1/{plural}"),
            Self::Secrets | Self::Pods => format!("/api/v1/namespaces/{CONTROL_NAMESPACE}/{plural}"),
            Self::Classes | Self::Deployments | Self::Machines => {
                format!("/apis/machine.sapcloud.io/v1alpha1/namespaces/{CONTROL_NAMESPACE}/{plural}")
            }
        }
    }

    fn request(self, verb: &str) -> RequestKind {
        RequestKind {
            verb: verb.to_owned(),
            group: self.group().to_owned(),
            resource: self.plural().to_owned(),
            subresource: String::new(),
        }
    }
}

/// A client that counts.
pub(super) struct Observer {
    client: Client,
    own: Mutex<Counts>,
}

impl Observer {
    pub(super) async fn new(testbed: &Testbed) -> Result<Self, Error> {
        Ok(Self { client: testbed.client(Identity::Admin).await?, own: Mutex::default() })
    }

    /// The requests made here so far.
    pub(super) fn own(&self) -> Counts {
        self.own.lock().clone()
    }

    /// Creates an object.
    pub(super) async fn create(&self, resource: Resource, object: &Value) -> Result<(), Error> {
        let request = Request::builder().method(Method::POST).uri(resource.path());
        self.send(resource.request("POST"), request.header("content-type", "application/json"), object)
            .await
            .map(drop)
    }

    /// Changes the MachineDeployment.
    pub(super) async fn change(&self, patch: &Value) -> Result<(), Error> {
        let uri = format!("{}/{DEPLOYMENT}", Resource::Deployments.path());
        let request = Request::builder().method(Method::PATCH).uri(uri);
        let request = request.header("content-type", "application/merge-patch+json");
        self.send(Resource::Deployments.request("PATCH"), request, patch).await.map(drop)
    }

    /// The MachineDeployment.
    pub(super) async fn deployment(&self) -> Result<Value, Error> {
        let request = Request::get(format!("{}/{DEPLOYMENT}", Resource::Deployments.path()));
        self.send(Resource::Deployments.request("GET"), request, &Value::Null).await
    }

    /// How many objects there are. The server is asked for one of them only, and says how many are left.
    pub(super) async fn count(&self, resource: Resource) -> Result<u64, Error> {
        let request = Request::get(format!("{}?limit=1", resource.path()));
        let list = self.send(resource.request("LIST"), request, &Value::Null).await?;
        Ok(counted(&list))
    }

    /// Every object.
    pub(super) async fn list(&self, resource: Resource) -> Result<Vec<Value>, Error> {
        let request = Request::get(resource.path());
        let mut list = self.send(resource.request("LIST"), request, &Value::Null).await?;
        match list["items"].take() {
            Value::Array(items) => Ok(items),
            _ => Ok(Vec::new()),
        }
    }

    /// The API server's count of its requests.
    pub(super) async fn metrics(&self) -> Result<RequestCounts, Error> {
        let path = "/metrics";
        let kind = RequestKind {
            verb: "GET".to_owned(),
            group: String::new(),
            resource: String::new(),
            subresource: path.to_owned(),
        };
        self.note(kind);
        let request = Request::get(path).body(Vec::new()).map_err(Error::client)?;
        let text = self.client.request_text(request).await;
        Ok(RequestCounts::parse(&text.map_err(Error::api("read the API server's metrics"))?))
    }

    async fn send(
        &self,
        kind: RequestKind,
        request: http::request::Builder,
        content: &Value,
    ) -> Result<Value, Error> {
        let action = format!("send {kind}");
        self.note(kind);
        let request = request.body(body(content)).map_err(Error::client)?;
        self.client.request::<Value>(request).await.map_err(Error::api(action))
    }

    fn note(&self, kind: RequestKind) {
        *self.own.lock().entry(kind).or_default() += 1;
    }
}

fn body(content: &Value) -> Vec<u8> {
    match content {
        Value::Null => Vec::new(),
        content => content.to_string().into_bytes(),
    }
}

fn counted(list: &Value) -> u64 {
    let shown = list["items"].as_array().map_or(0, Vec::len) as u64;
    shown + list["metadata"]["remainingItemCount"].as_u64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_of_one_tells_how_many_there_are() {
        for (list, count) in [
            (json!({ "items": [], "metadata": {} }), 0),
            (json!({ "items": [{}], "metadata": {} }), 1),
            (json!({ "items": [{}], "metadata": { "remainingItemCount": 499 } }), 500),
        ] {
            assert_eq!(counted(&list), count);
        }
    }

    #[test]
    fn a_request_without_content_has_no_body() {
        assert!(body(&Value::Null).is_empty());
        assert_eq!(body(&json!({ "a": 1 })), br#"{"a":1}"#);
    }
}
