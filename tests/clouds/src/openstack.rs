//! The real Keystone, Nova (with its fake hypervisor), Neutron, Glance and Placement on this machine, from their Python packages.
//! tests/clouds/openstack has what runs inside of them.

mod admin;
mod catalogue;
mod prepared;
mod project;
mod service;

use std::path::Path;

use millwright_testbed::{Household, Process, Progress, StandardError};
use tokio::sync::OnceCell;

pub(crate) use self::prepared::{prepared, prepared_folder};
use self::service::Service;
pub use self::{admin::Admin, project::Project};
use crate::{StandInError, installation::Lock};

/// Never dropped, as statics are; the guard ends the services when the process ends.
static SHARED: OnceCell<Result<OpenStack, StandInError>> = OnceCell::const_new();

/// An OpenStack that runs. Dropping it ends it.
pub struct OpenStack {
    urls: [String; 5],
    // Fields are dropped in this order: the processes belong to the household.
    _processes: Vec<Process>,
    _household: Household,
}

impl OpenStack {
    /// The OpenStack of this process, started by the first who asks. Who wants to be alone in it makes a [`Project`].
    pub async fn shared() -> Result<&'static Self, &'static StandInError> {
        SHARED.get_or_init(|| Self::start(&StandardError)).await.as_ref()
    }

    /// Starts one from the databases that the installation has made.
    pub async fn start(progress: &dyn Progress) -> Result<Self, StandInError> {
        let databases = prepared_folder()?;
        if !databases.is_dir() {
            return Err(StandInError::NotInstalled { what: "OpenStack" });
        }
        let household = Household::start()?;
        let folder = household.folder().join("openstack");
        prepared::copy(&databases, &folder).map_err(StandInError::disk("copy", &databases))?;
        // One at a time: each takes both cores for ten seconds.
        let _turn = Lock::take(progress).await?;
        Self::start_in(&folder, household).await
    }

    async fn start_in(folder: &Path, household: Household) -> Result<Self, StandInError> {
        let (keystone, keystone_url) = Service::Keystone.start(folder, &household, "-").await?;
        let admin = Admin::of(&keystone_url).await?;
        catalogue::grant_service_role(&admin).await?;
        catalogue::enter(&admin, Service::Keystone, &keystone_url).await?;
        let ((placement, placement_url), (glance, glance_url), (neutron, neutron_url)) = tokio::try_join!(
            Service::Placement.start(folder, &household, &keystone_url),
            Service::Glance.start(folder, &household, &keystone_url),
            Service::Neutron.start(folder, &household, &keystone_url),
        )?;
        catalogue::enter(&admin, Service::Placement, &placement_url).await?;
        catalogue::enter(&admin, Service::Glance, &glance_url).await?;
        catalogue::enter(&admin, Service::Neutron, &neutron_url).await?;
        // It asks Placement and Glance as soon as it is there.
        let (nova, nova_url) = Service::Nova.start(folder, &household, &keystone_url).await?;
        catalogue::enter(&admin, Service::Nova, &nova_url).await?;
        Ok(Self {
            urls: [keystone_url, nova_url, neutron_url, glance_url, placement_url],
            _processes: vec![nova, neutron, glance, placement, keystone],
            _household: household,
        })
    }

    /// Keystone's, ending in `/v3`.
    pub fn auth_url(&self) -> &str {
        &self.urls[0]
    }

    /// Where each service listens, Keystone first: what a [`crate::FaultProxy`] stands before.
    pub fn upstreams(&self) -> [&str; 5] {
        self.urls.each_ref().map(|url| {
            let after_scheme = url.find("//").map_or(0, |at| at + 2);
            url[after_scheme..].find('/').map_or(url.as_str(), |path| &url[..after_scheme + path])
        })
    }

    /// The administrator, with a new token.
    pub async fn admin(&self) -> Result<Admin, StandInError> {
        Admin::of(self.auth_url()).await
    }

    /// A project with a user of its own and wide quotas; its name is `prefix` with something random behind it.
    pub async fn project(&self, prefix: &str) -> Result<Project, StandInError> {
        Project::create(&self.admin().await?, prefix).await
    }
}
