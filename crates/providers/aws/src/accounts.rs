//! The accounts that were used last. A rotated Secret is another account from the next call on.

use std::collections::VecDeque;
use std::sync::Arc;

use aws_sdk_ec2::config::SharedHttpClient;
use millwright_cloud_http::CloudAccess;
use millwright_provider::{Credentials, ProviderError};
use parking_lot::Mutex;

use crate::account::Account;

/// More than a process serves at a time; an account that was dropped is only made again.
const MOST: usize = 64;

/// Accounts, the one that was used last at the end.
#[derive(Debug, Default)]
pub(crate) struct Accounts(Mutex<VecDeque<Arc<Account>>>);

impl Accounts {
    /// The account of those credentials in that region.
    pub(crate) fn of(
        &self,
        credentials: &Credentials,
        region: &str,
        access: &CloudAccess,
        http: &SharedHttpClient,
    ) -> Result<Arc<Account>, ProviderError> {
        let fingerprint = credentials.fingerprint();
        let mut accounts = self.0.lock();
        let known =
            accounts.iter().position(|known| known.fingerprint == fingerprint && known.region == region);
        let account = match known.and_then(|place| accounts.remove(place)) {
            Some(account) => account,
            None => Arc::new(Account::new(credentials, region, access, http)?),
        };
        accounts.push_back(account.clone());
        if accounts.len() > MOST {
            accounts.pop_front();
        }
        Ok(account)
    }

    /// Forgets an account whose session nobody believes any more.
    pub(crate) fn forget(&self, account: &Account) {
        self.0.lock().retain(|known| known.fingerprint != account.fingerprint);
    }
}
