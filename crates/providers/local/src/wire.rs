//! The simulated cloud's API as this provider uses it: only the fields it reads or writes.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::provider_id::SCHEME;
use crate::spec::BootMode;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateVm<'a> {
    pub(crate) name: &'a str,
    pub(crate) if_name_taken: IfNameTaken,
    pub(crate) client_token: &'a str,
    pub(crate) size: &'a str,
    pub(crate) image: &'a str,
    pub(crate) zone: &'a str,
    #[serde(rename = "diskGiB")]
    pub(crate) disk_gib: u32,
    pub(crate) network: &'a str,
    pub(crate) tags: BTreeMap<&'a str, &'a str>,
    pub(crate) user_data: String,
    pub(crate) boot: Boot,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum IfNameTaken {
    Refuse,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Boot {
    pub(crate) mode: BootMode,
    pub(crate) delay_seconds: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Vm {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) zone: String,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) address: String,
    pub(crate) power: Power,
    pub(crate) created: Timestamp,
}

impl Vm {
    pub(crate) fn provider_id(&self) -> String {
        format!("{SCHEME}{}/{}", self.zone, self.id)
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Power {
    Running,
    Stopped,
    #[serde(other)]
    Unknown,
}

/// A NIC or a disk.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Part {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) vm: Option<String>,
    pub(crate) created: Timestamp,
    /// Of a disk only.
    pub(crate) kind: Option<DiskKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DiskKind {
    Root,
    #[serde(other)]
    Volume,
}

/// The answer to a call that a cloud carries out at once or accepts for later.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Accepted<T> {
    Begun { order: Order },
    Done(T),
}

/// What goes on after its call was answered.
#[derive(Deserialize)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) vm: String,
    #[serde(flatten)]
    pub(crate) state: OrderState,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub(crate) enum OrderState {
    Running,
    Done,
    Failed { code: CloudCode, message: String },
}

/// What a deleted VM did not take along.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct LeftBehind {
    pub(crate) nics: Vec<String>,
    pub(crate) disks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_page_token: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct ErrorBody {
    pub(crate) error: ErrorDetail,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorDetail {
    pub(crate) code: CloudCode,
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) request_id: String,
}

/// The cloud's error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CloudCode {
    InvalidArgument,
    Unauthenticated,
    PermissionDenied,
    QuotaExceeded,
    NotFound,
    Conflict,
    NameTaken,
    OutOfCapacity,
    Throttled,
    Internal,
    Unavailable,
    DeadlineExceeded,
    #[serde(other)]
    Unknown,
}
