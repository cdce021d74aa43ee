//! Limits on how many VMs of a size a zone holds.

use serde::{Deserialize, Serialize};

use crate::refusal::Code;

/// Why a quota says no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Scarcity {
    /// The account's limit: refused with `quota_exceeded`.
    #[default]
    Quota,
    /// The zone's room: refused with `out_of_capacity`.
    Capacity,
}

/// A limit for a zone and a size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Quota {
    /// The zone; every zone (each by itself) when absent.
    pub zone: Option<String>,
    /// The size; every size (each by itself) when absent.
    pub size: Option<String>,
    /// How many VMs there may be.
    pub limit: usize,
    /// What a refusal says.
    #[serde(default)]
    pub scarcity: Scarcity,
}

impl Quota {
    pub(crate) fn covers(&self, zone: &str, size: &str) -> bool {
        self.zone.as_deref().is_none_or(|wanted| wanted == zone)
            && self.size.as_deref().is_none_or(|wanted| wanted == size)
    }

    pub(crate) fn code(&self) -> Code {
        match self.scarcity {
            Scarcity::Quota => Code::QuotaExceeded,
            Scarcity::Capacity => Code::OutOfCapacity,
        }
    }
}
