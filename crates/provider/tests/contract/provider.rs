//! The online half of the fake provider: right, unless it is told to have a flaw.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use millwright_api::MachineCode;
use millwright_provider::contract::Refusal;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Initialization, Instance,
    LeftoverKind, Listed, ListedKind, MachineView, Power, Provider, ProviderError, ProviderState, Scope,
    SpecRules, Target, UserData,
};

use crate::cloud::{Cloud, CloudError, PAGE, Part, Tags, Vm};
use crate::flaw::Flaw;
use crate::lab::Pace;
use crate::rules::{USER_DATA_LIMIT, id_of, provider_id};

pub(crate) struct FakeProvider {
    cloud: Cloud,
    pub(crate) flaw: Flaw,
    first_token: Mutex<Option<String>>,
    seen: Mutex<Option<Instance>>,
}

/// One call's view of the cloud: whose token, which scope.
struct Session<'a> {
    provider: &'a FakeProvider,
    token: String,
    scope: Scope,
}

fn error(code: MachineCode, message: impl Into<String>) -> ProviderError {
    ProviderError::new(code, message)
}

impl FakeProvider {
    pub(crate) fn new(cloud: Cloud, flaw: Flaw) -> Self {
        Self { cloud, flaw, first_token: Mutex::default(), seen: Mutex::default() }
    }

    fn open(&self, class: &ClassView<'_>, credentials: &Credentials) -> Result<Session<'_>, ProviderError> {
        let token = credentials.text("token").unwrap_or_default().to_owned();
        let token = match self.flaw {
            Flaw::KeepsTheOldToken => self.first_token.lock().unwrap().get_or_insert(token).clone(),
            _ => token,
        };
        let session = Session { provider: self, token, scope: self.scope(class)? };
        if self.flaw == Flaw::NeedsAWholeClass && !class.spec["size"].is_string() {
            return Err(error(MachineCode::InvalidArgument, "the class has no size"));
        }
        if class.spec["endpoint"] == "down" {
            return Err(session.explain(CloudError::Unreachable));
        }
        Ok(session)
    }

    async fn by<T>(
        &self,
        deadline: Deadline,
        work: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let mut left = deadline.left(Instant::now());
        if self.flaw == Flaw::IgnoresTheDeadline {
            left = Duration::from_secs(86_400);
        }
        let late = || Err(error(MachineCode::DeadlineExceeded, "the cloud did not answer in time"));
        tokio::time::timeout(left, work).await.unwrap_or_else(|_| late())
    }

    fn instance(&self, vm: &Vm) -> Instance {
        let initialization = if vm.initialized || self.flaw == Flaw::SaysDoneTooEarly {
            Initialization::Done
        } else {
            Initialization::Missing { reason: "source check is on".into() }
        };
        Instance {
            provider_id: provider_id(&vm.id),
            node_name: vm.name.clone(),
            addresses: Vec::new(),
            power: Power::Running,
            initialization,
        }
    }
}

impl Session<'_> {
    fn flaw(&self) -> Flaw {
        self.provider.flaw
    }

    fn cloud(&self) -> &Cloud {
        &self.provider.cloud
    }

    fn explain(&self, cause: CloudError) -> ProviderError {
        let mut code = match cause {
            CloudError::Refused(refusal) => refusal.code(),
            CloudError::NotFound => MachineCode::NotFound,
            CloudError::NameTaken => MachineCode::AlreadyExists,
            CloudError::QuotaExceeded => MachineCode::ResourceExhausted,
            CloudError::Unreachable => MachineCode::Unavailable,
        };
        let mut message = format!("the cloud said {cause:?} [request 7]");
        match (self.flaw(), cause) {
            (Flaw::ForbiddenIsUnknown, CloudError::Refused(Refusal::Forbidden)) => {
                code = MachineCode::Unknown
            }
            (Flaw::OutageIsNotFound, CloudError::Refused(Refusal::Down)) => code = MachineCode::NotFound,
            (Flaw::QuotaIsInternal, CloudError::QuotaExceeded) => code = MachineCode::Internal,
            (Flaw::BadTokenIsInternal, CloudError::Refused(Refusal::Unauthenticated)) => {
                code = MachineCode::Internal
            }
            (Flaw::ShowsTheToken, _) => message.push_str(&self.token),
            (Flaw::ShowsTheTokenEncoded, _) => {
                let header = format!("user:{}", self.token);
                message.push_str(&base64::engine::general_purpose::STANDARD.encode(header));
            }
            _ => {}
        }
        match cause {
            CloudError::Refused(Refusal::Throttled(wait)) if self.flaw() != Flaw::ForgetsTheWait => {
                error(code, message).retry_after(wait)
            }
            _ => error(code, message),
        }
    }

    fn ours(&self, tags: &Tags) -> bool {
        let has = |wanted: &str| match self.flaw() {
            Flaw::MatchesClustersByPrefix => {
                wanted.is_empty() || tags.keys().any(|tag| tag.starts_with(wanted))
            }
            _ => wanted.is_empty() || tags.contains_key(wanted),
        };
        has(&self.scope.cluster) && has(&self.scope.role)
    }

    fn named(&self, machine: &MachineView, name: &str, uid: Option<&String>) -> bool {
        match self.flaw() {
            Flaw::FindsByPrefixOfTheName => name.starts_with(&machine.name),
            Flaw::DoublesWhatHasNoUid => {
                name == machine.name && (machine.uid.is_none() || machine.uid.as_ref() == uid)
            }
            _ => {
                let is_anothers = matches!((&machine.uid, uid), (Some(machine), Some(uid)) if machine != uid);
                name == machine.name && !is_anothers
            }
        }
    }

    async fn all_vms(&self) -> Result<Vec<Vm>, ProviderError> {
        let mut all = Vec::new();
        for page in 0.. {
            let vms = match self.cloud().list_vms(&self.token, page).await {
                Err(_) if self.flaw() == Flaw::SwallowsALostPage && page > 0 => break,
                outcome => outcome.map_err(|cause| self.explain(cause))?,
            };
            let last = vms.len() < PAGE || self.flaw() == Flaw::ReadsOnePage;
            all.extend(vms);
            if last {
                break;
            }
        }
        Ok(all)
    }

    /// The machine's own VM, by id or by name, UID and scope.
    async fn find(&self, machine: &MachineView) -> Result<Option<Vm>, ProviderError> {
        if let Some(id) = machine.provider_id.as_deref() {
            let canonical = self.provider.canonical_id(id)?;
            return match self.cloud().get_vm(&self.token, id_of(&canonical).unwrap_or_default()).await {
                Ok(vm) => Ok(Some(vm)),
                Err(CloudError::NotFound) => Ok(None),
                Err(cause) => Err(self.explain(cause)),
            };
        }
        let vms = self.all_vms().await?;
        let seen = |vm: &&Vm| self.ours(&vm.tags) || self.flaw() == Flaw::StatusSeesStrangers;
        let named = |vm: &&Vm| {
            self.named(machine, &vm.name, vm.uid.as_ref())
                || (self.flaw() == Flaw::StatusSeesStrangers && vm.name == machine.name)
        };
        let found: Vec<&Vm> = vms.iter().filter(seen).filter(named).collect();
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some((*one).clone())),
            [first, ..] if self.flaw() == Flaw::TakesTheFirstOfSeveral => Ok(Some((*first).clone())),
            several => {
                let ids: Vec<String> = several.iter().map(|vm| provider_id(&vm.id)).collect();
                Err(error(
                    MachineCode::OutOfRange,
                    format!("several VMs answer to {}: {}", machine.name, ids.join(", ")),
                ))
            }
        }
    }

    async fn make_nic(&self, machine: &MachineView, tags: &Tags) -> Result<(), ProviderError> {
        let nics = self.cloud().list_nics(&self.token).await.map_err(|cause| self.explain(cause))?;
        let mut own = nics.iter().filter(|nic| self.ours(&nic.tags) && nic.vm_name == machine.name);
        let there = own.next().is_some();
        if there && self.flaw() == Flaw::ChokesOnItsOwnNic {
            return Err(self.explain(CloudError::NameTaken));
        }
        if there && self.flaw() != Flaw::MakesANicForEachAttempt {
            return Ok(());
        }
        let nic = Part {
            id: String::new(),
            vm_name: machine.name.clone(),
            uid: machine.uid.clone(),
            tags: tags.clone(),
        };
        self.cloud().create_nic(&self.token, nic).await.map_err(|cause| self.explain(cause))
    }

    async fn create(
        &self,
        machine: &MachineView,
        tags: Tags,
        user_data: &UserData,
    ) -> Result<CreateOutcome, ProviderError> {
        let flaw = self.flaw();
        let searches = !matches!(flaw, Flaw::MakesASecondVm | Flaw::LosesTheLostReply);
        if searches && let Some(vm) = self.find(machine).await? {
            return Ok(CreateOutcome::Created(self.provider.instance(&vm)));
        }
        let stranger = self.all_vms().await?.into_iter().find(|vm| vm.name == machine.name);
        match stranger {
            Some(vm) if flaw == Flaw::AdoptsStrangers => {
                return Ok(CreateOutcome::Created(self.provider.instance(&vm)));
            }
            Some(_) if searches => return Err(self.explain(CloudError::NameTaken)),
            _ => {}
        }
        if self.cloud().pace == Pace::Slow && machine.state.is_none() {
            let state = ProviderState::new("{\"v\":1,\"step\":\"nic\"}").expect("it is short");
            return Ok(CreateOutcome::InProgress {
                provider_id: None,
                state,
                retry_after: Duration::from_secs(5),
            });
        }
        self.make_nic(machine, &tags).await?;
        let text = match flaw {
            Flaw::TrimsUserData => user_data.expose().trim(),
            _ => user_data.expose(),
        };
        let vm = Vm {
            id: String::new(),
            name: machine.name.clone(),
            uid: machine.uid.clone(),
            tags,
            user_data: text.as_bytes().to_vec(),
            listed_from: tokio::time::Instant::now(),
            initialized: true,
        };
        let key = machine.uid.as_deref().filter(|_| searches && flaw != Flaw::TrustsLists);
        let vm = self.cloud().create_vm(&self.token, key, vm).await.map_err(|cause| self.explain(cause))?;
        Ok(CreateOutcome::Created(self.provider.instance(&vm)))
    }

    async fn delete(&self, machine: &MachineView, keep: &[String]) -> Result<DeleteOutcome, ProviderError> {
        let flaw = self.flaw();
        if flaw == Flaw::NeedsAUid && machine.uid.is_none() {
            return Err(error(MachineCode::InvalidArgument, "the machine has no UID"));
        }
        let blind =
            matches!(flaw, Flaw::DeletesByIdOnly | Flaw::NeedsItsMemory) && machine.provider_id.is_none();
        if blind {
            return Ok(DeleteOutcome::Gone);
        }
        let vm = self.find(machine).await?;
        if vm.is_none() && flaw == Flaw::FailsWhenNothingIsThere {
            return Err(self.explain(CloudError::NotFound));
        }
        if let Some(vm) = &vm {
            if !self.ours(&vm.tags) && flaw != Flaw::DeletesStrangers {
                let message = format!("VM {} belongs to another cluster or role and stays", vm.id);
                return Err(error(MachineCode::FailedPrecondition, message));
            }
            for volume in keep.iter().filter(|_| flaw != Flaw::DeletesKeptVolumes) {
                self.cloud().detach(&self.token, volume).await.map_err(|cause| self.explain(cause))?;
            }
            self.cloud().delete_vm(&self.token, &vm.id).await.map_err(|cause| self.explain(cause))?;
            if self.cloud().pace == Pace::Slow {
                let state = ProviderState::new("{\"v\":1,\"step\":\"parts\"}").expect("it is short");
                return Ok(DeleteOutcome::InProgress { state, retry_after: Duration::from_secs(5) });
            }
        }
        let skips = match flaw {
            Flaw::DeletesTheVmOnly => true,
            Flaw::ForgetsLeftovers | Flaw::LeaksANicWhenRefused => vm.is_none(),
            _ => false,
        };
        if !skips {
            for part in self.parts().await? {
                if self.named(machine, &part.vm_name, part.uid.as_ref()) {
                    self.cloud()
                        .delete_part(&self.token, &part.id)
                        .await
                        .map_err(|cause| self.explain(cause))?;
                }
            }
        }
        Ok(DeleteOutcome::Gone)
    }

    /// NICs and disks of ours.
    async fn parts(&self) -> Result<Vec<Part>, ProviderError> {
        let mut parts = self.cloud().list_nics(&self.token).await.map_err(|cause| self.explain(cause))?;
        parts.extend(self.cloud().list_disks(&self.token).await.map_err(|cause| self.explain(cause))?);
        parts.retain(|part| self.ours(&part.tags));
        Ok(parts)
    }

    async fn list(&self) -> Result<Vec<Listed>, ProviderError> {
        let mut vms = self.all_vms().await?;
        vms.retain(|vm| self.ours(&vm.tags));
        let mut listed = Vec::new();
        for vm in &vms {
            let id =
                if self.flaw() == Flaw::SpellsListedIdsAnew { vm.id.clone() } else { provider_id(&vm.id) };
            listed.push(Listed {
                id,
                machine_name: vm.name.clone(),
                machine_uid: vm.uid.clone().filter(|_| self.flaw() != Flaw::ListsNoUid),
                created_at: None,
                kind: ListedKind::Vm,
            });
        }
        for part in self.parts().await? {
            let owned = vms.iter().any(|vm| vm.name == part.vm_name && vm.uid == part.uid);
            if owned || self.flaw() == Flaw::ListsVmsOnly {
                continue;
            }
            let kind = if part.id.starts_with("nic") { LeftoverKind::Nic } else { LeftoverKind::Disk };
            listed.push(Listed {
                id: part.id,
                machine_name: part.vm_name,
                machine_uid: part.uid,
                created_at: None,
                kind: ListedKind::Leftover(kind),
            });
        }
        Ok(listed)
    }

    async fn status(&self, machine: &MachineView) -> Result<Instance, ProviderError> {
        if self.flaw() == Flaw::StatusRemembers
            && let Some(seen) = self.provider.seen.lock().unwrap().clone()
        {
            return Ok(seen);
        }
        let Some(vm) = self.find(machine).await? else { return Err(self.explain(CloudError::NotFound)) };
        if self.flaw() == Flaw::StatusRepairs {
            self.cloud().finish_vm(&self.token, &vm.id).await.map_err(|cause| self.explain(cause))?;
        }
        Ok(self.provider.instance(&vm))
    }
}

#[async_trait]
impl Provider for FakeProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let session = self.open(&target.class, target.credentials)?;
        self.by(target.deadline, session.status(target.machine)).await
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        if user_data.expose().len() > USER_DATA_LIMIT && self.flaw != Flaw::SendsAnyLength {
            let message = format!("user data is over {USER_DATA_LIMIT} bytes");
            return Err(error(MachineCode::InvalidArgument, message));
        }
        let session = self.open(&target.class, target.credentials)?;
        let tags = [&session.scope.cluster, &session.scope.role].map(|tag| (tag.clone(), "1".to_owned()));
        let outcome =
            self.by(target.deadline, session.create(target.machine, tags.into(), user_data)).await?;
        if let CreateOutcome::Created(instance) = &outcome {
            *self.seen.lock().unwrap() = Some(instance.clone());
        }
        Ok(outcome)
    }

    async fn initialize(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        let session = self.open(&target.class, target.credentials)?;
        let work = async {
            let vm =
                session.find(target.machine).await?.ok_or_else(|| session.explain(CloudError::NotFound))?;
            self.cloud.finish_vm(&session.token, &vm.id).await.map_err(|cause| session.explain(cause))?;
            Ok(self.instance(&Vm { initialized: true, ..vm }))
        };
        self.by(target.deadline, work).await
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        let session = self.open(&request.target.class, request.target.credentials)?;
        self.by(request.target.deadline, session.delete(request.target.machine, request.keep_volumes)).await
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        let session = self.open(&class, credentials)?;
        self.by(deadline, session.list()).await
    }
}
