//! As much of a Kubernetes API server as a kubelet touches: HTTPS with HTTP/2, client certificates from
//! signing requests, nodes, leases and pods. It checks who asks, and remembers what was asked.

#![allow(dead_code, clippy::unwrap_used, reason = "test code; each test binary uses its own part")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::StreamExt as _;
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, CertificateSigningRequestParams, IsCa, Issuer, KeyPair};
use rustls::RootCertStore;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use x509_parser::prelude::{FromDer as _, X509Certificate};

pub(crate) const BOOTSTRAP_TOKEN: &str = "abcdef.0123456789abcdef";

/// What the API server holds and saw.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) nodes: BTreeMap<String, Value>,
    pub(crate) leases: BTreeMap<String, Value>,
    pub(crate) requests: BTreeMap<String, Value>,
    pub(crate) pods: BTreeMap<String, Value>,
    /// Who asked what: identity, method, path without query.
    pub(crate) seen: Vec<(String, String, String)>,
    /// Signing requests are denied while this is set.
    pub(crate) deny: bool,
    /// Connections that are open.
    pub(crate) open: usize,
}

pub(crate) struct Kubernetes {
    pub(crate) address: SocketAddr,
    pub(crate) ca_pem: String,
    pub(crate) world: Arc<Mutex<World>>,
    pods: broadcast::Sender<String>,
    server: JoinHandle<()>,
    issuer: Arc<Issuer<'static, KeyPair>>,
}

impl Drop for Kubernetes {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Kubernetes {
    pub(crate) async fn start() -> Self {
        Self::start_on("127.0.0.1:0".parse().unwrap()).await
    }

    pub(crate) async fn start_on(address: SocketAddr) -> Self {
        let ca_key = KeyPair::generate().unwrap();
        let mut ca = CertificateParams::new(Vec::new()).unwrap();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca_certificate = ca.self_signed(&ca_key).unwrap();
        let issuer = Arc::new(Issuer::new(ca, ca_key));
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();

        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(ca_certificate.der().clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()
            .unwrap();
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        tls.alpn_protocols = vec![b"h2".to_vec()];

        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let world: Arc<Mutex<World>> = Arc::default();
        let pods = broadcast::channel(1024).0;
        let api = Api { world: Arc::clone(&world), issuer: Arc::clone(&issuer), pods: pods.clone() };
        let server = tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(tls)), api));
        Self { address, ca_pem: ca_certificate.pem(), world, pods, server, issuer }
    }

    /// A kubeconfig with that token.
    pub(crate) fn kubeconfig(&self, token: &str) -> String {
        kubeconfig(self.address, &self.ca_pem, token)
    }

    /// Cloud-config with which a VM finds this server.
    pub(crate) fn cloud_config(&self) -> String {
        let kubeconfig = STANDARD.encode(self.kubeconfig(BOOTSTRAP_TOKEN));
        format!(
            "#cloud-config\nwrite_files:\n- path: /var/lib/kubelet/bootstrap-kubeconfig\n  encoding: b64\n  \
             content: {kubeconfig}\n- path: /etc/kubernetes/node-labels\n  content: |\n    pool=a\n"
        )
    }

    /// A certificate of the cluster's administrator, in a kubeconfig.
    pub(crate) fn admin_kubeconfig(&self) -> String {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(rcgen::DnType::CommonName, "simcloud");
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let user = format!(
            "client-certificate-data: {}, client-key-data: {}",
            STANDARD.encode(certificate.pem()),
            STANDARD.encode(key.serialize_pem())
        );
        kubeconfig_for(self.address, &self.ca_pem, &user)
    }

    /// Binds a pod to a node, or marks it as deleted.
    pub(crate) fn put_pod(&self, pod: Value) {
        let key = pod_key(&pod);
        let kind =
            if self.world.lock().pods.insert(key, pod.clone()).is_some() { "MODIFIED" } else { "ADDED" };
        let _ = self.pods.send(format!("{}\n", json!({ "type": kind, "object": pod })));
    }

    /// How often that identity asked that.
    pub(crate) fn count(&self, who: &str, method: &str, path: &str) -> usize {
        let world = self.world.lock();
        world.seen.iter().filter(|(w, m, p)| w == who && m == method && p == path).count()
    }

    pub(crate) fn condition(&self, node: &str, kind: &str) -> Option<String> {
        let world = self.world.lock();
        let conditions = world.nodes.get(node)?["status"]["conditions"].as_array()?;
        let condition = conditions.iter().find(|condition| condition["type"] == kind)?;
        Some(condition["status"].as_str()?.to_owned())
    }
}

pub(crate) fn kubeconfig(address: SocketAddr, ca_pem: &str, token: &str) -> String {
    kubeconfig_for(address, ca_pem, &format!("token: {token}"))
}

fn kubeconfig_for(address: SocketAddr, ca_pem: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{server: \
         'https://{address}', certificate-authority-data: {}}}}}]\nusers: [{{name: u, user: \
         {{{user}}}}}]\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n",
        STANDARD.encode(ca_pem)
    )
}

#[derive(Clone)]
struct Api {
    world: Arc<Mutex<World>>,
    issuer: Arc<Issuer<'static, KeyPair>>,
    pods: broadcast::Sender<String>,
}

type Body = BoxBody<Bytes, Infallible>;

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, api: Api) {
    // Dropping the set ends all connections with the server.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((tcp, _)) = listener.accept().await {
        let (acceptor, api) = (acceptor.clone(), api.clone());
        connections.spawn(async move {
            let Ok(tls) = acceptor.accept(tcp).await else { return };
            let name = tls.get_ref().1.peer_certificates().and_then(|chain| common_name(&chain[0]));
            let world = Arc::clone(&api.world);
            let service = service_fn(move |request| {
                let (api, name) = (api.clone(), name.clone());
                async move { Ok::<_, Infallible>(api.answer(name, request).await) }
            });
            world.lock().open += 1;
            let _ =
                auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(tls), service).await;
            world.lock().open -= 1;
        });
    }
}

fn common_name(certificate: &[u8]) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    Some(certificate.subject().iter_common_name().next()?.as_str().ok()?.to_owned())
}

fn pod_key(pod: &Value) -> String {
    format!(
        "{}/{}",
        pod["metadata"]["namespace"].as_str().unwrap_or_default(),
        pod["metadata"]["name"].as_str().unwrap_or_default()
    )
}

fn full(status: StatusCode, body: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(body.to_string())).boxed();
    Response::builder().status(status).body(body).unwrap()
}

fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    full(status, &json!({ "kind": "Status", "message": message, "code": status.as_u16() }))
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

impl Api {
    async fn answer(&self, certificate_name: Option<String>, request: Request<Incoming>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let bearer = head.headers.get("authorization").and_then(|value| value.to_str().ok());
        let who = match (certificate_name, bearer) {
            (Some(name), _) => name,
            (None, Some(bearer)) if bearer == format!("Bearer {BOOTSTRAP_TOKEN}") => "bootstrap".to_owned(),
            (None, _) => return refuse(StatusCode::UNAUTHORIZED, "Unauthorized"),
        };
        let body = body.collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let path = head.uri.path().to_owned();
        self.world.lock().seen.push((who.clone(), head.method.to_string(), path.clone()));
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (&head.method, parts.as_slice()) {
            (&Method::POST, ["apis", "certificates.k8s.io", "v1", "certificatesigningrequests"]) => {
                self.sign(&who, body)
            }
            (&Method::GET, ["apis", "certificates.k8s.io", "v1", "certificatesigningrequests", name]) => {
                self.find(|world| world.requests.get(*name))
            }
            (&Method::POST, ["api", "v1", "nodes"]) => self.register(&who, body),
            (&Method::GET, ["api", "v1", "nodes", name]) => self.find(|world| world.nodes.get(*name)),
            (&Method::PATCH, ["api", "v1", "nodes", name, ..]) => {
                self.patch(|world| world.nodes.get_mut(*name), &body)
            }
            (
                &Method::POST,
                ["apis", "coordination.k8s.io", "v1", "namespaces", "kube-node-lease", "leases"],
            ) => {
                let name = body["metadata"]["name"].as_str().unwrap().to_owned();
                if who != format!("system:node:{name}") {
                    return refuse(StatusCode::FORBIDDEN, "not your lease");
                }
                self.world.lock().leases.insert(name, body.clone());
                full(StatusCode::CREATED, &body)
            }
            (&Method::PATCH, ["apis", "coordination.k8s.io", "v1", "namespaces", _, "leases", name]) => {
                self.patch(|world| world.leases.get_mut(*name), &body)
            }
            (&Method::GET, ["api", "v1", "pods"]) => self.watch(head.uri.query().unwrap_or_default()),
            (&Method::PATCH, ["api", "v1", "namespaces", namespace, "pods", name, "status"]) => {
                self.patch(|world| world.pods.get_mut(&format!("{namespace}/{name}")), &body)
            }
            (&Method::DELETE, ["api", "v1", "namespaces", namespace, "pods", name]) => {
                let gone = self.world.lock().pods.remove(&format!("{namespace}/{name}"));
                gone.map_or_else(|| refuse(StatusCode::NOT_FOUND, "no pod"), |pod| full(StatusCode::OK, &pod))
            }
            _ => refuse(StatusCode::NOT_FOUND, "the stand-in does not know this path"),
        }
    }

    fn sign(&self, who: &str, mut request: Value) -> Response<Body> {
        if who != "bootstrap"
            || request["spec"]["signerName"] != "kubernetes.io/kube-apiserver-client-kubelet"
        {
            return refuse(StatusCode::FORBIDDEN, "only for bootstrap tokens and kubelets");
        }
        let pem = STANDARD.decode(request["spec"]["request"].as_str().unwrap()).unwrap();
        let params = CertificateSigningRequestParams::from_pem(std::str::from_utf8(&pem).unwrap()).unwrap();
        let mut world = self.world.lock();
        request["status"] = if world.deny {
            json!({ "conditions": [{ "type": "Denied", "status": "True", "message": "not today" }] })
        } else {
            let certificate = params.signed_by(&self.issuer).unwrap();
            json!({ "certificate": STANDARD.encode(certificate.pem()) })
        };
        let name = request["metadata"]["name"].as_str().unwrap().to_owned();
        world.requests.insert(name, request.clone());
        full(StatusCode::CREATED, &request)
    }

    fn register(&self, who: &str, mut node: Value) -> Response<Body> {
        let name = node["metadata"]["name"].as_str().unwrap().to_owned();
        if who != format!("system:node:{name}") && who != "simcloud" {
            return refuse(StatusCode::FORBIDDEN, "not your node");
        }
        let mut world = self.world.lock();
        if world.nodes.contains_key(&name) {
            return refuse(StatusCode::CONFLICT, "the node exists");
        }
        node["metadata"]["uid"] = json!(format!("uid-of-{name}"));
        world.nodes.insert(name, node.clone());
        full(StatusCode::CREATED, &node)
    }

    fn find(&self, find: impl Fn(&World) -> Option<&Value>) -> Response<Body> {
        find(&self.world.lock())
            .map_or_else(|| refuse(StatusCode::NOT_FOUND, "not found"), |o| full(StatusCode::OK, o))
    }

    fn patch(&self, find: impl Fn(&mut World) -> Option<&mut Value>, patch: &Value) -> Response<Body> {
        let mut world = self.world.lock();
        let Some(object) = find(&mut world) else { return refuse(StatusCode::NOT_FOUND, "not found") };
        merge(object, patch);
        full(StatusCode::OK, object)
    }

    fn watch(&self, query: &str) -> Response<Body> {
        let node = query.split('&').find_map(|part| part.strip_prefix("fieldSelector=spec.nodeName%3D"));
        let node = node.unwrap_or_default().to_owned();
        let world = self.world.lock();
        let mine = |pod: &&Value| pod["spec"]["nodeName"] == node.as_str();
        let now: Vec<String> = world
            .pods
            .values()
            .filter(mine)
            .map(|pod| format!("{}\n", json!({ "type": "ADDED", "object": pod })))
            .collect();
        let later = futures::stream::unfold(self.pods.subscribe(), |mut receiver| async move {
            receiver.recv().await.ok().map(|line| (line, receiver))
        });
        drop(world);
        let marker = format!("\"nodeName\":\"{node}\"");
        let later = later.filter(move |line| futures::future::ready(line.contains(&marker)));
        let lines = futures::stream::iter(now).chain(later);
        let frames = lines.map(|line| Ok::<_, Infallible>(Frame::data(Bytes::from(line))));
        Response::builder()
            .body(BodyExt::boxed(StreamBody::new(SyncStream(Mutex::new(Box::pin(frames))))))
            .unwrap()
    }
}

/// Makes a stream that is only `Send` fit for a boxed body that must be `Sync`.
struct SyncStream<S>(Mutex<std::pin::Pin<Box<S>>>);

impl<S: futures::Stream> futures::Stream for SyncStream<S> {
    type Item = S::Item;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.lock().as_mut().poll_next(context)
    }
}
