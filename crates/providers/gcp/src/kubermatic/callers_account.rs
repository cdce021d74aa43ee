//! Kubermatic's VMs run as the account that makes them.

use millwright_api::MachineCode;
use millwright_provider::{Credentials, ProviderError};

use crate::account::{self, Account};
use crate::errors::CLOUD;
use crate::home::KnownBy;
use crate::spec::Spec;

/// Names the caller where a spec in Kubermatic's dialect leaves the account of the VM open. In Gardener's it never is.
pub(crate) fn name_caller(spec: &mut Spec, credentials: &Credentials) -> Result<(), ProviderError> {
    let open = spec.service_accounts.iter_mut().filter(|account| account.email.is_empty());
    let mut open = open.filter(|_| spec.home.known_by == KnownBy::Uid).peekable();
    if open.peek().is_none() {
        return Ok(());
    }
    let refused = |code, reason: String| ProviderError::new(code, format!("{CLOUD}: {reason}"));
    let email = match account::read(credentials) {
        Ok((Account::ServiceAccount(account), _)) => account.email,
        Ok((Account::ExternalAccount(account), _)) => account.impersonated.ok_or_else(|| {
            let reason = "a workload identity that impersonates nobody is no account for a VM; set disableMachineServiceAccount";
            refused(MachineCode::InvalidArgument, reason.to_owned())
        })?,
        Err(problem) => {
            let reason = format!("serviceAccount {}", problem.detail());
            return Err(refused(MachineCode::Unauthenticated, reason));
        }
    };
    for account in open {
        account.email.clone_from(&email);
    }
    Ok(())
}
