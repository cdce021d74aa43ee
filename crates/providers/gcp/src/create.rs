//! Making a VM: one call that is idempotent by its request id and by its name, then looks at lists that are shared.
//!
//! Nothing is asked before. An accepted creation can still fail, so that the VM counts as made when it runs. A creation that
//! failed has used up its request id; how many did is remembered.

use std::time::Duration;

use http::Method;
use millwright_api::MachineCode;
use millwright_cloud_http::{CloudError, Urgency};
use millwright_provider::{CreateOutcome, MachineView, ProviderError, Scope, UserData};

use crate::belonging::is_of;
use crate::delete::remove_left_over;
use crate::errors::{self, CLOUD, CallError};
use crate::insertion::{self, Owner};
use crate::names::is_name;
use crate::progress::Progress;
use crate::secrets::{USER_DATA_LIMIT, too_long};
use crate::session::{Call, Session};
use crate::spec::Spec;
use crate::status::{by_name, instance};
use crate::wire::{Instance, Operation, Status};
use crate::{request_id, zone_lists};

/// A VM runs after ten to thirty seconds.
const POLL: Duration = Duration::from_secs(5);

/// A creation.
pub(crate) struct Creation<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) spec: &'a Spec,
    pub(crate) machine: &'a MachineView,
    pub(crate) scope: &'a Scope,
}

impl Creation<'_> {
    pub(crate) async fn run(&self, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        let progress = Progress::of(self.machine);
        match progress.insert.clone() {
            Some(operation) => self.follow(&operation, progress).await,
            None => self.begin(user_data, progress).await,
        }
    }

    async fn begin(&self, user_data: &UserData, progress: Progress) -> Result<CreateOutcome, ProviderError> {
        let Self { session, spec, machine, scope } = self;
        let invalid =
            |message: String| ProviderError::new(MachineCode::InvalidArgument, format!("{CLOUD}: {message}"));
        let name = machine.name.as_str();
        if !is_name(name) {
            return Err(invalid(format!(
                "machine {name:?} can not be a VM's name: lower-case letters, digits and -, at most 63; rename what owns it"
            )));
        }
        let uid = machine.uid.as_deref().ok_or_else(|| {
            invalid(format!("machine {name} has no UID, so that its VM would have no request id"))
        })?;
        if user_data.expose().len() > USER_DATA_LIMIT {
            return Err(invalid(format!(
                "user data of machine {name} {}",
                too_long(user_data.expose().len())
            )));
        }
        let owner = Owner { name, uid, project: &session.project, scope };
        let body = insertion::body(spec, owner, user_data)?;
        let request_id = request_id::of(uid, progress.failed);
        let inserted = session
            .call::<Operation>(Call {
                operation: "instances.insert",
                urgency: Urgency::Create,
                method: Method::POST,
                path: format!("zones/{}/instances", spec.home.zone),
                query: &[("requestId", &request_id)],
                body: Some(body),
            })
            .await;
        match inserted {
            Ok(operation) => self.judge(&operation, progress).await,
            Err(CallError::Refused(refused)) if errors::of(&refused).code == MachineCode::AlreadyExists => {
                self.adopt(progress, &refused).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Looks whether a VM whose creation was accepted runs by now.
    async fn follow(&self, operation: &str, progress: Progress) -> Result<CreateOutcome, ProviderError> {
        let Self { session, spec, machine, .. } = self;
        let seen = zone_lists::instances(session, &spec.home.zone).await?;
        if let Some(vm) = seen.iter().find(|vm| vm.name == machine.name && self.is_ours(vm)) {
            return Ok(self.seen(vm, progress));
        }
        // A VM that was taken up has no operation of ours.
        if operation.is_empty() {
            return self.look(progress).await;
        }
        // The list may be older than the VM; only the operation says why there is none.
        let path = format!("zones/{}/operations/{operation}", spec.home.zone);
        match session.get::<Operation>("zoneOperations.get", Urgency::Create, path, &[]).await {
            Ok(operation) => self.judge(&operation, progress).await,
            // Operations are kept for some days only.
            Err(error) if error.says_missing(&[operation]) => self.look(progress).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn judge(&self, operation: &Operation, progress: Progress) -> Result<CreateOutcome, ProviderError> {
        if !operation.is_done() {
            return Ok(waiting(&progress.inserting(&operation.name)));
        }
        let Some(failure) = operation.failure() else {
            return self.look(progress.inserting(&operation.name)).await;
        };
        let refused = CloudError {
            operation: "instances.insert",
            http: 0,
            code: failure.code.clone(),
            message: self.session.redact(&failure.message),
            request_id: Some(operation.name.clone()),
            retry_after: None,
        };
        if errors::of(&refused).code == MachineCode::AlreadyExists {
            return self.adopt(progress.failed_once_more(), &refused).await;
        }
        let mut error = errors::of(&refused);
        error.state = Some(progress.failed_once_more().state());
        Err(error)
    }

    /// Finds the VM whose creation is said to be done.
    async fn look(&self, progress: Progress) -> Result<CreateOutcome, ProviderError> {
        match self.named().await? {
            Some(vm) if self.is_ours(&vm) => Ok(self.seen(&vm, progress)),
            Some(_) => Err(self.taken()),
            None => Err(self.once_more("its VM was made and is gone again", &progress)),
        }
    }

    /// Takes up the VM that has the name already, if it is the machine's.
    async fn adopt(&self, progress: Progress, refused: &CloudError) -> Result<CreateOutcome, ProviderError> {
        match self.named().await? {
            Some(vm) if self.is_ours(&vm) => Ok(self.seen(&vm, progress.inserting(""))),
            Some(_) => Err(self.taken()),
            None => {
                // The name was a disk's, or the VM's that went just now.
                remove_left_over(self.session, &self.spec.home.zone, self.machine, self.scope).await?;
                Err(self.once_more(
                    &format!("something had its name that is not there any more ({refused})"),
                    &progress,
                ))
            }
        }
    }

    async fn named(&self) -> Result<Option<Instance>, CallError> {
        by_name(self.session, &self.spec.home.zone, &self.machine.name, Urgency::Create).await
    }

    fn is_ours(&self, vm: &Instance) -> bool {
        is_of(vm, self.machine, self.scope, self.spec.home.known_by)
    }

    fn seen(&self, vm: &Instance, progress: Progress) -> CreateOutcome {
        match vm.status {
            // One that stops may be on its way out, and does not tell.
            Status::Provisioning | Status::Staging | Status::Stopping | Status::Deprovisioning => {
                waiting(&progress)
            }
            _ => CreateOutcome::Created(instance(
                vm,
                self.session,
                &self.spec.home.zone,
                self.spec.home.id_form,
            )),
        }
    }

    fn taken(&self) -> ProviderError {
        let (name, zone) = (&self.machine.name, &self.spec.home.zone);
        let message = format!(
            "{CLOUD}: zone {zone} has a VM called {name} that is somebody else's; it stays, and the machine needs another name"
        );
        ProviderError::new(MachineCode::AlreadyExists, message)
    }

    fn once_more(&self, why: &str, progress: &Progress) -> ProviderError {
        let message = format!("{CLOUD}: machine {}: {why}; it is made once more", self.machine.name);
        let mut error = ProviderError::new(MachineCode::Aborted, message);
        error.state = Some(progress.failed_once_more().state());
        error
    }
}

fn waiting(progress: &Progress) -> CreateOutcome {
    // The id is kept back: a machine that has one is never made again, and this VM may not come to be.
    CreateOutcome::InProgress { provider_id: None, state: progress.state(), retry_after: POLL }
}
