//! From user data to a client certificate: a key, a signing request, and the wait for the answer.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::certificates::v1::{CertificateSigningRequest, CertificateSigningRequestSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};
use tokio::time::{Instant, sleep};

use super::Guest;
use super::kubelet::Ended;
use super::patience::Patience;
use crate::identity::Identity;
use crate::kube::{Call, KubeClient, KubeError};
use crate::random;
use crate::secret::Secret;
use crate::userdata::{self, Bootstrap};

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
/// A kubelet gives up a request that nobody answers and makes a new one.
const ANSWER_WITHIN: Duration = Duration::from_secs(120);

/// Why one attempt to get a certificate ended without one.
#[derive(Debug, thiserror::Error)]
enum Attempt {
    #[error(transparent)]
    Kube(#[from] KubeError),
    #[error("the certificate request {name} was {verdict}: {message}")]
    Refused { name: String, verdict: String, message: String },
    #[error("the certificate request {0} got no answer; is it approved, and is the signer running?")]
    Unanswered(String),
}

/// Gets a certificate, however long that takes, and keeps it with the VM.
pub(super) async fn run(guest: &mut Guest) -> Result<Arc<Identity>, Ended> {
    let hopeless = |error: &dyn std::fmt::Display| Ended::Hopeless(error.to_string());
    let user_data = guest.vm.user_data.take().unwrap_or_else(|| Secret::new(""));
    let Bootstrap { access, labels, host_name } =
        userdata::read(&user_data).map_err(|error| hopeless(&error))?;
    drop(user_data);
    let node_name = host_name.unwrap_or_else(|| guest.vm.name.clone());
    guest.print(format!("user data read; joining {} as {node_name}", access.server));
    let client =
        KubeClient::new(Arc::clone(&guest.environment.network), &access).map_err(|error| hopeless(&error))?;

    let key = KeyPair::generate().map_err(|error| hopeless(&error))?;
    let request = signing_request(&key, &node_name).map_err(|error| hopeless(&error))?;
    let mut patience = Patience::default();
    let certificate_pem = loop {
        match attempt(&client, &request).await {
            Ok(certificate) => break certificate,
            Err(error) => guest.print(error.to_string()),
        }
        patience.wait().await;
    };
    let identity = Arc::new(Identity {
        node_name,
        labels,
        server: access.server,
        ca_pem: String::from_utf8_lossy(&access.ca_pem).into_owned(),
        certificate_pem,
        key_pem: Secret::new(key.serialize_pem()),
    });
    guest.print("certificate issued");
    if let Err(refusal) = guest.environment.inventory.lock().set_identity(&guest.vm.id, Arc::clone(&identity))
    {
        // It can work with it now; only after a restart of the cloud it would have to ask again.
        tracing::warn!(vm = %guest.vm.id, %refusal, "the VM's certificate was not kept");
    }
    Ok(identity)
}

fn signing_request(key: &KeyPair, node_name: &str) -> Result<String, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "system:nodes");
    params.distinguished_name.push(DnType::CommonName, format!("system:node:{node_name}"));
    params.serialize_request(key)?.pem()
}

async fn attempt(client: &KubeClient, request_pem: &str) -> Result<String, Attempt> {
    let name = random::id("node-csr-");
    let request = CertificateSigningRequest {
        metadata: ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() },
        spec: CertificateSigningRequestSpec {
            request: ByteString(request_pem.as_bytes().to_vec()),
            signer_name: "kubernetes.io/kube-apiserver-client-kubelet".to_owned(),
            usages: Some(vec!["digital signature".to_owned(), "client auth".to_owned()]),
            ..CertificateSigningRequestSpec::default()
        },
        status: None,
    };
    client.tell(Call::create("certificatesigningrequests", REQUESTS.to_owned(), &request)).await?;
    let give_up = Instant::now() + ANSWER_WITHIN;
    let mut pause = Duration::from_millis(200);
    while Instant::now() < give_up {
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(5));
        let call = Call::get("certificatesigningrequests", format!("{REQUESTS}/{name}"));
        let answered: CertificateSigningRequest = client.send(call).await?;
        if let Some(certificate) = verdict(&name, answered)? {
            return Ok(certificate);
        }
    }
    Err(Attempt::Unanswered(name))
}

fn verdict(name: &str, request: CertificateSigningRequest) -> Result<Option<String>, Attempt> {
    let Some(status) = request.status else { return Ok(None) };
    let mut conditions = status.conditions.unwrap_or_default().into_iter();
    if let Some(refused) =
        conditions.find(|condition| matches!(condition.type_.as_str(), "Denied" | "Failed"))
    {
        let message = refused.message.unwrap_or_default();
        return Err(Attempt::Refused { name: name.to_owned(), verdict: refused.type_, message });
    }
    Ok(status.certificate.map(|certificate| String::from_utf8_lossy(&certificate.0).into_owned()))
}
