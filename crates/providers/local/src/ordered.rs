//! A creation or deletion that the cloud accepted, and how it is going.

use std::time::Duration;

use millwright_provider::ProviderError;

use crate::errors::{CallError, machine_code};
use crate::progress::Progress;
use crate::session::Session;
use crate::wire::{CloudCode, Order, OrderState};

/// When to ask again, as for the clouds that it stands for.
pub(crate) const POLL: Duration = Duration::from_secs(5);

/// The order as it is now; none when the cloud has forgotten it.
pub(crate) async fn look(session: &Session<'_>, order: &str) -> Result<Option<Order>, CallError> {
    match session.get::<Order>(&format!("/v1/orders/{order}")).await {
        Ok(order) => Ok(Some(order)),
        Err(error) if error.cloud_code() == Some(CloudCode::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What an order that failed says. There is nothing to ask about any more: the next attempt begins anew.
pub(crate) fn failure(order: &Order) -> Option<ProviderError> {
    let OrderState::Failed { code, message } = &order.state else { return None };
    let message = format!("simulated cloud: {message} (order {})", order.id);
    let mut error = ProviderError::new(machine_code(*code), message);
    error.state = Some(Progress::Nothing.state());
    Some(error)
}
