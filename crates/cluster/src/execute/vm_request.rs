//! Gathers what a call to a cloud needs: the class, its provider, its credentials.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::SecretReference;
use millwright_api::keys::labels;
use millwright_api::{ClassRecord, Machine, MachineClass, MachineCode, ObjectView};
use millwright_provider::{
    ClassView, Credentials, Deadline, MachineView, Provider, ProviderError, ProviderState, Requirement,
    Target, UserData,
};

use super::class_of_vm;
use crate::Fleet;
use crate::departures::{Departed, Departure};
use crate::listing::Listing;

/// How long a call may take; longer work is resumed by the next call.
pub(super) const CALL_BUDGET: Duration = Duration::from_secs(60);

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To make a VM, which needs user data.
    Birth,
    /// To look a VM up, list or finish it: credentials are enough.
    Care,
    /// To delete it.
    Death,
}

impl Purpose {
    /// What to do about something that is missing.
    const fn remedy(self) -> &'static str {
        match self {
            Self::Birth | Self::Care => "create it",
            Self::Death => "restore it, and the deletion goes on",
        }
    }
}

/// Everything for one call about one machine.
pub(super) struct VmRequest {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) credentials: Credentials,
    class: Arc<MachineClass>,
    machine: MachineView,
    pub(super) deadline: Deadline,
}

impl VmRequest {
    pub(super) fn target(&self) -> Target<'_> {
        Target {
            class: ClassView::from(&*self.class),
            machine: &self.machine,
            credentials: &self.credentials,
            deadline: self.deadline,
        }
    }

    /// What is kept of the class that the call is made with.
    pub(super) fn record(&self) -> ClassRecord {
        ClassRecord::of(&self.class)
    }

    /// The machine, of which a VM was asked for so often, as one that waits for the proof that the last is gone.
    ///
    /// # Errors
    /// `InvalidArgument` when the class has no scope.
    pub(super) fn departure(self, askings: u64) -> Result<Departure, ProviderError> {
        let Self { provider, credentials, class, mut machine, deadline: _ } = self;
        machine.labels.clear();
        let listing = Listing::of(&class, &*provider, &credentials)?;
        Ok(Departure { listing, class, provider, credentials, departed: Departed { machine, askings } })
    }
}

/// Gathers what a call about a machine needs.
///
/// # Errors
/// `InvalidArgument` for what the user must mend (class, Secret, provider), `Unavailable` when an API server did not answer.
pub(super) async fn vm_request(
    fleet: &Fleet,
    machine: &Machine,
    purpose: Purpose,
) -> Result<VmRequest, ProviderError> {
    let class_name = &machine.spec.class.name;
    let class = class_of_vm(fleet, machine).ok_or_else(|| {
        let remedy = purpose.remedy();
        refused(format!("MachineClass {class_name:?} named in spec.class does not exist; {remedy}"))
    })?;
    let (provider, credentials) = provider_of(fleet, &class, purpose).await?;
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let machine = MachineView {
        name: machine.name().to_owned(),
        namespace: machine.namespace().to_owned(),
        uid: known(machine.uid()),
        provider_id: known(&machine.spec.provider_id),
        node_name: machine.label(labels::NODE).and_then(known),
        labels: machine.metadata.labels.clone().unwrap_or_default(),
        node_annotations: machine.spec.node_template.metadata.annotations.clone().unwrap_or_default(),
        state: state(fleet, machine),
    };
    Ok(VmRequest { provider, credentials, class, machine, deadline: deadline() })
}

/// What the provider asked to be given. Its last answer to this process comes first: the machine may be as it was before
/// that was written.
fn state(fleet: &Fleet, machine: &Machine) -> Option<ProviderState> {
    let memories = fleet.memories.lock();
    let remembered = memories.machines.get(machine.uid()).and_then(|memory| memory.state.clone());
    drop(memories);
    let text = remembered.unwrap_or_else(|| machine.status.last_known_state.clone());
    ProviderState::new(text).ok().filter(|state| !state.as_str().is_empty())
}

/// A provider with the credentials of one class.
pub(crate) struct OrphanRequest {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) credentials: Credentials,
}

/// Gathers what a list for a class needs.
///
/// # Errors
/// As for a machine's call.
pub(crate) async fn orphan_request(
    fleet: &Fleet,
    class: &MachineClass,
) -> Result<OrphanRequest, ProviderError> {
    let (provider, credentials) = provider_of(fleet, class, Purpose::Care).await?;
    Ok(OrphanRequest { provider, credentials })
}

pub(crate) fn deadline() -> Deadline {
    // Tokio's clock, as all waiting is measured by: it stands still where a test pauses it.
    Deadline::after(tokio::time::Instant::now().into_std(), CALL_BUDGET)
}

async fn provider_of(
    fleet: &Fleet,
    class: &MachineClass,
    purpose: Purpose,
) -> Result<(Arc<dyn Provider>, Credentials), ProviderError> {
    let name = class.name();
    let provider = fleet
        .parts
        .providers
        .get(&class.provider)
        .map_err(|unknown| refused(format!("MachineClass {name:?}: {unknown}; correct the field provider")))?
        .clone();
    let mut secrets = Vec::new();
    for (field, reference) in
        [("secretRef", &class.secret_ref), ("credentialsSecretRef", &class.credentials_secret_ref)]
    {
        if let Some(reference) = reference {
            secrets.push(secret(fleet, class, field, reference, purpose).await?);
        }
    }
    let credentials = Credentials::merge(secrets);
    let mut mistakes = provider.validate_credentials(&credentials);
    mistakes.retain(|mistake| purpose == Purpose::Birth || mistake.field != UserData::SECRET_KEY);
    if !mistakes.is_empty() {
        let wanted: Vec<&str> = provider
            .secret_keys()
            .iter()
            .filter(|key| key.requirement == Requirement::Required)
            .filter(|key| purpose == Purpose::Birth || key.name != UserData::SECRET_KEY)
            .map(|key| key.name)
            .collect();
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        return Err(refused(format!(
            "the Secret of MachineClass {name:?} can not be used: {}. It must have the keys {}",
            mistakes.join("; "),
            wanted.join(", ")
        )));
    }
    Ok((provider, credentials))
}

/// Reads the Secrets of a machine's class anew next time: the cloud refused what was in them.
pub(super) fn forget_credentials(fleet: &Fleet, machine: &Machine) {
    let class = fleet.with_index(|index| index.class(&machine.spec.class.name).cloned());
    for class in class.into_iter().chain(class_of_vm(fleet, machine)) {
        for reference in class.secret_ref.iter().chain(&class.credentials_secret_ref) {
            let (namespace, name) = secret_key(&class, reference);
            fleet.parts.secrets.invalidate(namespace, name);
        }
    }
}

/// Namespace and name of a Secret; a reference without namespace means the class's own.
fn secret_key<'a>(class: &'a MachineClass, reference: &'a SecretReference) -> (&'a str, &'a str) {
    let namespace =
        reference.namespace.as_deref().filter(|text| !text.is_empty()).unwrap_or(class.namespace());
    (namespace, reference.name.as_deref().unwrap_or_default())
}

async fn secret(
    fleet: &Fleet,
    class: &MachineClass,
    field: &str,
    reference: &SecretReference,
    purpose: Purpose,
) -> Result<BTreeMap<String, Vec<u8>>, ProviderError> {
    let (namespace, name) = secret_key(class, reference);
    match fleet.parts.secrets.get(namespace, name).await {
        Ok(Some(data)) => Ok((*data).clone()),
        Ok(None) => Err(refused(format!(
            "Secret \"{namespace}/{name}\" named in {field} of MachineClass {:?} does not exist; {}",
            class.name(),
            purpose.remedy()
        ))),
        Err(error) => Err(ProviderError::new(
            MachineCode::Unavailable,
            format!(
                "Secret \"{namespace}/{name}\" named in {field} of MachineClass {:?} could not be read: {error}",
                class.name()
            ),
        )),
    }
}

fn refused(message: String) -> ProviderError {
    ProviderError::new(MachineCode::InvalidArgument, message)
}
