//! What is known of a cloud by one credential: its token, and what many machines ask for in the same moment.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use millwright_api::MachineCode;
use millwright_cloud_http::{BudgetKey, Caller, CloudAccess, HttpClient, SharedList, TlsSettings, Transport};
use millwright_provider::{Credentials, Deadline, ProviderError};
use tokio::sync::Mutex;

use super::cinder::Volume;
use super::identity::{self, Identity};
use super::lookup::Wanted;
use super::neutron::Port;
use super::nova::Server;
use super::refusal::CallError;
use super::service::RATE;
use super::token::{self, Token};
use crate::secrets::{CA_CERT, CLIENT_CERT, CLIENT_KEY, INSECURE};

/// One credential's view of one cloud. Lists are by region.
pub(crate) struct Cloud {
    pub(crate) fingerprint: u64,
    identity: Identity,
    /// Of its own where the Secret says whom to trust.
    transport: Arc<dyn Transport>,
    token: Mutex<Option<Arc<Token>>>,
    pub(crate) servers: SharedList<String, Vec<Server>>,
    pub(crate) ports: SharedList<String, Vec<Port>>,
    pub(crate) volumes: SharedList<String, Vec<Volume>>,
    pub(crate) ids: SharedList<Wanted, String>,
}

impl Cloud {
    pub(crate) fn new(access: &CloudAccess, credentials: &Credentials) -> Result<Self, ProviderError> {
        let mut identity = identity::read(credentials)?;
        identity.secrets.extend(credentials.text(CLIENT_KEY).map(str::to_owned));
        Ok(Self {
            fingerprint: credentials.fingerprint(),
            identity,
            transport: transport(access, credentials)?,
            token: Mutex::default(),
            servers: SharedList::default(),
            ports: SharedList::default(),
            volumes: SharedList::default(),
            ids: SharedList::default(),
        })
    }

    /// What must not be seen in anybody's message.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.identity.secrets.iter().map(String::as_str)
    }

    pub(crate) fn now(&self) -> Instant {
        self.transport.now()
    }

    /// Calls of one class of endpoints, until the deadline.
    pub(crate) fn caller<'a>(
        &'a self,
        access: &'a CloudAccess,
        class: &str,
        deadline: Deadline,
    ) -> Caller<'a> {
        let key = BudgetKey { cloud: "openstack", credential: self.fingerprint, class: class.to_owned() };
        let budget = access.budgets.of(&key, RATE);
        Caller::new("openstack", access, budget, deadline).over(&*self.transport)
    }

    /// The token that is good now. Whoever comes while one is fetched waits for it.
    pub(crate) async fn token(
        &self,
        access: &CloudAccess,
        deadline: Deadline,
    ) -> Result<Arc<Token>, CallError> {
        let mut known = self.token.lock().await;
        let now = self.now();
        if let Some(token) = known.as_ref().filter(|token| token.is_good_at(now)) {
            return Ok(token.clone());
        }
        *known = None;
        let caller = self.caller(access, "identity", deadline);
        let redaction = millwright_cloud_http::Redaction::of(self.secrets());
        let token = Arc::new(token::fetch(&caller, &self.identity, now, &redaction).await?);
        *known = Some(token.clone());
        Ok(token)
    }

    /// A service did not take that token; nobody uses it again.
    pub(crate) async fn refused(&self, token: &Arc<Token>) {
        let mut known = self.token.lock().await;
        if known.as_ref().is_some_and(|known| Arc::ptr_eq(known, token)) {
            *known = None;
        }
    }
}

impl fmt::Debug for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cloud").field("keystone", &self.identity.keystone).finish_non_exhaustive()
    }
}

fn transport(access: &CloudAccess, credentials: &Credentials) -> Result<Arc<dyn Transport>, ProviderError> {
    let text = |key: &str| credentials.text(key);
    let mut tls = TlsSettings::default();
    if let Some(authorities) = text(CA_CERT) {
        tls = tls.trusting_only(authorities);
    }
    if let (Some(certificate), Some(key)) = (text(CLIENT_CERT), text(CLIENT_KEY)) {
        tls = tls.showing(certificate, key);
    }
    if text(INSECURE) == Some("true") {
        tls = tls.trusting_anybody();
    }
    if tls == TlsSettings::default() {
        return Ok(access.transport.clone());
    }
    let client = HttpClient::with(&tls).map_err(|error| {
        let message =
            format!("keys {CA_CERT}, {CLIENT_CERT} and {CLIENT_KEY} of the class's Secret: {error}");
        ProviderError::new(MachineCode::InvalidArgument, message)
    })?;
    Ok(Arc::new(client))
}
