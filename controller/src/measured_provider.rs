//! A provider whose calls are measured. Changes nothing about them.

use std::sync::Arc;

use async_trait::async_trait;
use millwright_api::MachineCode;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Instance, Listed,
    Provider, ProviderError, SpecRules, Target, UserData, WithRules,
};
use tokio::time::Instant;

use crate::cloud_metrics::CloudMetrics;

pub(crate) struct MeasuredProvider {
    inner: Arc<dyn Provider>,
    name: String,
    metrics: CloudMetrics,
}

impl MeasuredProvider {
    pub(crate) fn new(inner: Arc<dyn Provider>, metrics: CloudMetrics) -> Self {
        let name = inner.names().first().copied().unwrap_or_default().to_lowercase();
        Self { inner, name, metrics }
    }

    async fn measure<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let started = Instant::now();
        let answer = call.await;
        match &answer {
            Ok(_) => self.metrics.succeeded(&self.name, operation, started.elapsed()),
            // That a provider has no such call is no failure.
            Err(error) if error.code == MachineCode::Unimplemented => {}
            Err(error) => self.metrics.failed(&self.name, operation, error.code),
        }
        answer
    }
}

#[async_trait]
impl Provider for MeasuredProvider {
    async fn status(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        self.measure("get_machine_status", self.inner.status(target)).await
    }

    async fn create(&self, target: Target<'_>, user_data: &UserData) -> Result<CreateOutcome, ProviderError> {
        self.measure("create_machine", self.inner.create(target, user_data)).await
    }

    async fn initialize(&self, target: Target<'_>) -> Result<Instance, ProviderError> {
        self.measure("initialize_machine", self.inner.initialize(target)).await
    }

    async fn delete(&self, request: DeleteRequest<'_>) -> Result<DeleteOutcome, ProviderError> {
        self.measure("delete_machine", self.inner.delete(request)).await
    }

    async fn list(
        &self,
        class: ClassView<'_>,
        credentials: &Credentials,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, ProviderError> {
        self.measure("list_machine", self.inner.list(class, credentials, deadline)).await
    }
}

impl WithRules for MeasuredProvider {
    fn offline(&self) -> &dyn SpecRules {
        &*self.inner
    }
}

#[cfg(test)]
mod tests;
