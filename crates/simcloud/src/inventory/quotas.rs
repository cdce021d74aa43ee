//! Quotas: how many VMs of a size a zone holds.

use super::Inventory;
use super::record::Record;
use crate::quota::Quota;
use crate::refusal::Refusal;

impl Inventory {
    /// Replaces all quotas.
    pub(crate) fn set_quotas(&mut self, quotas: Vec<Quota>) -> Result<(), Refusal> {
        for (index, quota) in quotas.iter().enumerate() {
            if let Some(zone) = quota.zone.as_deref().filter(|zone| self.catalog.zone(zone).is_none()) {
                return Err(Refusal::invalid(format!("quotas[{index}].zone: {zone:?} is not a zone")));
            }
            if let Some(size) = quota.size.as_deref().filter(|size| self.catalog.size(size).is_none()) {
                return Err(Refusal::invalid(format!("quotas[{index}].size: {size:?} is not a size")));
            }
        }
        self.commit(vec![Record::Quotas { quotas }])
    }

    /// The quotas that are set.
    pub(crate) fn quotas(&self) -> &[Quota] {
        &self.quotas
    }

    /// Whether one more VM of that size fits into the zone.
    pub(super) fn room_for(&self, zone: &str, size: &str) -> Result<(), Refusal> {
        let Some(quota) = self.quotas.iter().filter(|quota| quota.covers(zone, size)).min_by_key(|q| q.limit)
        else {
            return Ok(());
        };
        let used = self.vms.values().filter(|vm| vm.zone == zone && vm.size == size).count();
        if used < quota.limit {
            return Ok(());
        }
        let message = format!("{used} of {} VMs of size {size:?} in zone {zone:?} are in use", quota.limit);
        Err(Refusal::new(quota.code(), message))
    }
}
