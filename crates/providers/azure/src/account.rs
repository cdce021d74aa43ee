//! Who calls, in which cloud and subscription: what is kept for a set of credentials between calls.
//!
//! The token, and lists that many machines share. Nothing of it outlives a change of the credentials: another Secret is another
//! account.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

use millwright_api::MachineCode;
use millwright_cloud_http::{CloudAccess, Endpoint, Redaction, SharedList};
use millwright_provider::{Credentials, ProviderError, SecretKey, UserData};
use parking_lot::Mutex;

use crate::cloud::Cloud;
use crate::errors::CLOUD;
use crate::marketplace::Plans;
use crate::secrets::{self, CLIENT_ID, CLIENT_SECRET, Proof, SUBSCRIPTION, TENANT, TOKEN_FILE};
use crate::wire::{Disk, Nic, Vm};

/// Lists of a resource group, which is named in lower case.
pub(crate) type Lists<T> = SharedList<String, Vec<T>>;

pub(crate) struct Account {
    pub(crate) cloud: Cloud,
    pub(crate) subscription: String,
    pub(crate) tenant: String,
    pub(crate) client: String,
    pub(crate) proof: Proof,
    pub(crate) client_secret: Option<String>,
    pub(crate) token_file: Option<String>,
    /// Where Resource Manager is.
    pub(crate) manager: String,
    pub(crate) login: String,
    /// Where the instance metadata service is, if the operator lets it be used.
    pub(crate) metadata: Option<String>,
    pub(crate) redaction: Redaction,
    pub(crate) token: tokio::sync::Mutex<Option<Token>>,
    pub(crate) vms: Lists<Vm>,
    pub(crate) nics: Lists<Nic>,
    pub(crate) disks: Lists<Disk>,
    pub(crate) plans: Plans,
}

/// What opens Resource Manager for a while.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// From then on another one is asked for.
    pub(crate) stale: Instant,
}

impl Account {
    /// Reads the credentials; what is wrong with them was told by `validate_credentials` already.
    pub(crate) fn of(
        credentials: &Credentials,
        cloud: Cloud,
        access: &CloudAccess,
    ) -> Result<Self, ProviderError> {
        let refuse = |message: String| ProviderError::new(MachineCode::InvalidArgument, message);
        let mut mistakes = secrets::validate(credentials);
        mistakes.retain(|mistake| mistake.field != UserData::SECRET_KEY);
        if let Some(mistake) = mistakes.first() {
            return Err(refuse(format!("{CLOUD}: the Secret can not be used: {mistake}")));
        }
        let text = |key: &SecretKey| secrets::text(credentials, key).map(str::to_owned);
        let needed = |key: &SecretKey| {
            text(key).ok_or_else(|| refuse(format!("{CLOUD}: the Secret has no key {}", key.name)))
        };
        let proof = secrets::proof(credentials)
            .ok_or_else(|| refuse(format!("{CLOUD}: the Secret does not say how to prove who calls")))?;
        let endpoints = &access.endpoints;
        let values = credentials.keys().filter(|key| *key != UserData::SECRET_KEY);
        Ok(Self {
            cloud,
            subscription: needed(&SUBSCRIPTION)?,
            tenant: needed(&TENANT)?,
            client: needed(&CLIENT_ID)?,
            proof,
            client_secret: text(&CLIENT_SECRET),
            token_file: text(&TOKEN_FILE),
            manager: endpoints.or(Endpoint::AzureResourceManager, cloud.resource_manager()).to_owned(),
            login: endpoints.or(Endpoint::AzureLogin, cloud.login()).to_owned(),
            metadata: endpoints.get(Endpoint::AzureMetadata).map(str::to_owned),
            redaction: Redaction::of(values.filter_map(|key| credentials.text(key))),
            token: tokio::sync::Mutex::default(),
            vms: Lists::default(),
            nics: Lists::default(),
            disks: Lists::default(),
            plans: Plans::default(),
        })
    }

    /// By whom Azure counts calls: subscription and caller, whatever secret he shows.
    pub(crate) fn counted_by(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.cloud, self.subscription.to_lowercase(), self.client.to_lowercase()).hash(&mut hasher);
        hasher.finish()
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("cloud", &self.cloud)
            .field("proof", &self.proof)
            .finish_non_exhaustive()
    }
}

/// The accounts that called last.
#[derive(Debug, Default)]
pub(crate) struct Accounts(Mutex<Vec<Known>>);

type Known = ((u64, Cloud), Arc<Account>);

/// More than a process serves at a time; a rotated Secret's old account falls out at the end.
const MOST_ACCOUNTS: usize = 256;

impl Accounts {
    /// The account of these credentials, made when it is asked for first.
    pub(crate) fn of(
        &self,
        credentials: &Credentials,
        cloud: Cloud,
        access: &CloudAccess,
    ) -> Result<Arc<Account>, ProviderError> {
        let key = (credentials.fingerprint(), cloud);
        let mut known = self.0.lock();
        if let Some(at) = known.iter().position(|(other, _)| *other == key) {
            let entry = known.remove(at);
            let account = entry.1.clone();
            known.push(entry);
            return Ok(account);
        }
        let account = Arc::new(Account::of(credentials, cloud, access)?);
        if known.len() >= MOST_ACCOUNTS {
            known.remove(0);
        }
        known.push((key, account.clone()));
        Ok(account)
    }

    /// Forgets credentials that Azure refused.
    pub(crate) fn forget(&self, credentials: &Credentials) {
        let fingerprint = credentials.fingerprint();
        self.0.lock().retain(|((other, _), _)| *other != fingerprint);
    }
}
