//! Evictions: deletions of pods that ask disruption budgets first.

use serde_json::{Value, json};

use super::{Answer, Caller, DeleteOptions, Store, Target, budget::Permission};
use crate::{object, refusal::Refusal};

impl Store {
    /// A POST to a pod's eviction endpoint.
    pub(crate) fn evict(&mut self, by: &Caller, at: &Target, eviction: &Value) -> Result<Answer, Refusal> {
        let name = object::meta(eviction, "name");
        if !name.is_empty() && name != at.name {
            return Err(Refusal::bad_request("name in URL does not match name in Eviction object"));
        }
        let options = DeleteOptions::read(&eviction["deleteOptions"])?;
        let pod = self.existing(at)?;
        if !may_ignore_budgets(&pod) {
            let budgets = self.budgets_of(&pod);
            if budgets.len() > 1 {
                let message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Refusal::new(500, "", message));
            }
            if let Some(budget) = budgets.first()
                && let Permission::Counted(budget) = self.permission(budget, &pod, by)?
            {
                self.count(by, budget);
            }
        }
        self.mark(by, at, &pod, &options)?;
        let options = DeleteOptions { resource_version: None, ..options };
        self.delete(by, at, &options)?;
        let body =
            json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 });
        Ok(Answer { code: 201, body })
    }

    /// Says on the pod why it goes.
    fn mark(
        &mut self,
        by: &Caller,
        at: &Target,
        pod: &Value,
        options: &DeleteOptions,
    ) -> Result<(), Refusal> {
        options.check(at, pod)?;
        let mut marked = pod.clone();
        let status = object::member(&mut marked, "status");
        let conditions = status.entry("conditions").or_insert_with(|| json!([]));
        let Some(conditions) = conditions.as_array_mut() else { return Ok(()) };
        if conditions
            .iter()
            .any(|condition| condition["type"] == "DisruptionTarget" && condition["status"] == "True")
        {
            return Ok(());
        }
        conditions.retain(|condition| condition["type"] != "DisruptionTarget");
        conditions.push(json!({
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
            "lastProbeTime": null,
            "lastTransitionTime": object::wire_time(by.now),
        }));
        self.commit(by, at, "eviction", Some(marked));
        Ok(())
    }
}

/// A pod that does not run, or ends already, disrupts nobody.
fn may_ignore_budgets(pod: &Value) -> bool {
    object::is_deleting(pod)
        || matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed" | "Pending"))
}
