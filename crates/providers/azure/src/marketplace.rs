//! Images of the marketplace that are bought: their plan goes into the VM, and their agreement must be accepted once.
//!
//! Asked once for each image, not for each VM: what a version of an image is does not change.

use std::collections::HashMap;

use http::Method;
use millwright_cloud_http::Urgency;
use millwright_provider::ProviderError;
use parking_lot::Mutex;
use serde_json::Value;

use crate::arm::{AGREEMENTS, COMPUTE, segment};
use crate::session::{Class, Sent, Session};
use crate::spec::{Image, Plan, PurchasePlan, Spec};
use crate::urn::Urn;
use crate::wire::ImageVersion;

/// More images than a subscription uses.
const MOST: usize = 256;

/// What is known of images: in which location, which one, and what is bought with it.
#[derive(Debug, Default)]
pub(crate) struct Plans(Mutex<HashMap<(String, Urn), Option<PurchasePlan>>>);

impl Plans {
    fn known(&self, location: &str, urn: &Urn) -> Option<Option<PurchasePlan>> {
        self.0.lock().get(&(location.to_owned(), urn.clone())).cloned()
    }

    fn learn(&self, location: &str, urn: &Urn, plan: Option<PurchasePlan>) {
        let mut known = self.0.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert((location.to_owned(), urn.clone()), plan);
    }

    /// Asks again next time: Azure refused what was bought.
    pub(crate) fn forget(&self) {
        self.0.lock().clear();
    }
}

/// The plan of the class's image, its agreement accepted.
pub(crate) async fn plan(session: &Session<'_>, spec: &Spec) -> Result<Option<PurchasePlan>, ProviderError> {
    let urn = match (&spec.plan, &spec.image) {
        (Plan::None, _) => return Ok(None),
        (Plan::Given(plan), _) => return Ok(Some(plan.clone())),
        (Plan::AskMarketplace, Image::Marketplace(urn)) => urn,
        (Plan::AskMarketplace, Image::Id(_) | Image::CommunityGallery(_) | Image::SharedGallery(_)) => {
            return Ok(None);
        }
    };
    if let Some(known) = session.account.plans.known(&spec.home.location, urn) {
        return Ok(known);
    }
    let plan = version(session, spec, urn).await?.properties.plan;
    let plan =
        plan.map(|plan| PurchasePlan { name: plan.name, publisher: plan.publisher, product: plan.product });
    if let Some(plan) = &plan {
        accept(session, plan).await?;
    }
    session.account.plans.learn(&spec.home.location, urn, plan.clone());
    Ok(plan)
}

async fn version(session: &Session<'_>, spec: &Spec, urn: &Urn) -> Result<ImageVersion, ProviderError> {
    const OPERATION: &str = "virtualMachineImages.get";
    let Urn { publisher, offer, sku, version } = urn;
    let versions = format!(
        "/subscriptions/{}/providers/Microsoft.Compute/locations/{}/publishers/{}/artifacttypes/vmimage/offers/{}/skus/{}/versions",
        segment(&session.account.subscription),
        segment(&spec.home.location),
        segment(publisher),
        segment(offer),
        segment(sku)
    );
    let get = |operation, path| {
        session.send(Sent::new(operation, Class::ComputeRead, Urgency::Create, Method::GET, path))
    };
    let mut version = version.clone();
    if version.eq_ignore_ascii_case("latest") {
        let operation = "virtualMachineImages.list";
        let path = format!("{versions}?api-version={COMPUTE}&$top=1&$orderby=name%20desc");
        let answer = get(operation, path).await?;
        let newest: Vec<ImageVersion> =
            answer.json().map_err(|error| session.unreadable(operation, &error))?;
        let newest = newest.into_iter().next();
        version = newest
            .map(|newest| newest.name)
            .ok_or_else(|| session.strange(operation, "the image has no version"))?;
    }
    let answer = get(OPERATION, format!("{versions}/{}?api-version={COMPUTE}", segment(&version))).await?;
    answer.json().map_err(|error| session.unreadable(OPERATION, &error))
}

/// Accepts the agreement of a plan, once for the subscription.
async fn accept(session: &Session<'_>, plan: &PurchasePlan) -> Result<(), ProviderError> {
    let path = format!(
        "/subscriptions/{}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/{}/offers/{}/plans/{}/agreements/current?api-version={AGREEMENTS}",
        segment(&session.account.subscription),
        segment(&plan.publisher),
        segment(&plan.product),
        segment(&plan.name)
    );
    let operation = "marketplaceAgreements.get";
    let answer = session
        .send(Sent::new(operation, Class::ComputeRead, Urgency::Create, Method::GET, path.clone()))
        .await?;
    let mut agreement: Value = answer.json().map_err(|error| session.unreadable(operation, &error))?;
    let Some(properties) = agreement.get_mut("properties").and_then(Value::as_object_mut) else {
        return Err(session.strange(operation, "the agreement has no properties"));
    };
    if properties.get("accepted").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    // What was read goes back whole: the signature in it says which text is accepted.
    properties.insert("accepted".to_owned(), Value::Bool(true));
    let sent =
        Sent::new("marketplaceAgreements.create", Class::ComputeWrite, Urgency::Create, Method::PUT, path);
    session.send(Sent { body: Some(agreement), ..sent }).await?;
    Ok(())
}
