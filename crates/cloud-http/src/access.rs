//! What a process lends every provider.

use std::sync::Arc;

use crate::{Budgets, CallJournal, Endpoints, NoJournal, Transport};

/// Connections, budgets, the journal and the endpoints of a process. Cheap to clone; all clones share one budget.
#[derive(Clone, Debug)]
pub struct CloudAccess {
    /// The way to clouds.
    pub transport: Arc<dyn Transport>,
    /// How often each credential may call.
    pub budgets: Arc<Budgets>,
    /// Who is told of each call.
    pub journal: Arc<dyn CallJournal>,
    /// Where clouds are that are not at their usual place.
    pub endpoints: Endpoints,
}

impl CloudAccess {
    /// Access by that way, at the usual places, told to nobody.
    #[must_use]
    pub fn over(transport: Arc<dyn Transport>) -> Self {
        Self {
            transport,
            budgets: Arc::default(),
            journal: Arc::new(NoJournal),
            endpoints: Endpoints::default(),
        }
    }

    /// With endpoints that stand in for the usual ones.
    #[must_use]
    pub fn at(mut self, endpoints: Endpoints) -> Self {
        self.endpoints = endpoints;
        self
    }

    /// With somebody who is told of each call.
    #[must_use]
    pub fn told_to(mut self, journal: Arc<dyn CallJournal>) -> Self {
        self.journal = journal;
        self
    }
}
