//! `AdmissionReview` as the API server sends it. Lenient: what the review does not need is skipped, and
//! whatever is wrong with it, its uid is looked for, because an answer without it says nothing to kubectl.

use millwright_admission::{Change, Kind, Occasion, Request};
use millwright_api::GROUP;
use serde::Deserialize;
use serde_json::Value;

use crate::body_shape;
use crate::metrics::Subject;

/// Who deletes what is left in a namespace that goes, with an account of its own and without. Held up by us it would hang, and the
/// finalizers still keep their order.
const NAMESPACE_CONTROLLERS: [&str; 2] =
    ["system:serviceaccount:kube-system:namespace-controller", "system:kube-controller-manager"];

/// The only version that is spoken.
pub(crate) const API_VERSION: &str = "admission.k8s.io/v1";

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionRequest {
    pub(crate) uid: String,
    pub(crate) kind: ObjectKind,
    #[serde(default)]
    sub_resource: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) namespace: String,
    operation: Operation,
    user_info: Option<UserInfo>,
    dry_run: Option<bool>,
    options: Option<WriteOptions>,
    object: Option<Value>,
    old_object: Option<Value>,
}

/// Who asks. Lenient, as nobody is refused for it.
#[derive(Debug, Default, Deserialize)]
struct UserInfo {
    #[serde(default)]
    username: String,
}

/// With what the write was sent. Lenient, too.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WriteOptions {
    #[serde(default)]
    field_manager: String,
}

/// Group and kind of the object.
#[derive(Debug, Deserialize)]
pub(crate) struct ObjectKind {
    #[serde(default)]
    pub(crate) group: String,
    pub(crate) kind: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Operation {
    #[serde(rename = "CREATE")]
    Create,
    #[serde(rename = "UPDATE")]
    Update,
    #[serde(rename = "DELETE")]
    Delete,
    #[serde(other)]
    Other,
}

/// What there is to do about a request.
pub(crate) enum Task<'a> {
    /// Judge this.
    Judge(Request<'a>),
    /// Let it pass: no rules are about it.
    Pass,
    /// Let it pass and say that this webhook should not be asked about such objects.
    PassUnknown,
    /// There is nothing to judge although there should be.
    Missing(&'static str),
}

/// Why a body is no request.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// Answer under this uid, if there was one.
    pub(crate) uid: Option<String>,
    /// For the caller.
    pub(crate) reason: String,
}

/// Reads a body.
pub(crate) fn read(body: &[u8]) -> Result<AdmissionRequest, Unreadable> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Review {
        #[serde(default)]
        api_version: String,
        request: AdmissionRequest,
    }
    if let Some(reason) = body_shape::too_many_values(body) {
        return Err(Unreadable { uid: uid(body), reason });
    }
    // As a whole: what is skipped is not looked at, and no part of a review is anything but text.
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            let reason = format!("no AdmissionReview of v1: {error}");
            return Err(Unreadable { uid: uid(body), reason });
        }
    };
    match serde_json::from_str::<Review>(text) {
        Ok(review) if review.api_version == API_VERSION => Ok(review.request),
        Ok(review) => Err(Unreadable {
            uid: Some(review.request.uid),
            reason: format!(
                "apiVersion {:?} is not spoken here; list only v1 in admissionReviewVersions of the webhook \
                 configuration",
                review.api_version
            ),
        }),
        Err(error) => {
            let reason = body_shape::too_deep(body).unwrap_or_else(|| error.to_string());
            Err(Unreadable { uid: uid(body), reason: format!("no AdmissionReview of v1: {reason}") })
        }
    }
}

/// The uid alone, from a review that is otherwise wrong or nested too deeply to be read.
fn uid(body: &[u8]) -> Option<String> {
    // Fields that are not named are skipped without recursion, so depth is no obstacle.
    #[derive(Deserialize)]
    struct Review {
        request: Uid,
    }
    #[derive(Deserialize)]
    struct Uid {
        uid: String,
    }
    serde_json::from_slice::<Review>(body).ok().map(|review| review.request.uid).filter(|uid| !uid.is_empty())
}

impl AdmissionRequest {
    /// Sorts out what has rules.
    pub(crate) fn task(&self) -> Task<'_> {
        if !self.sub_resource.is_empty() || self.operation == Operation::Other || self.is_the_namespaces_end()
        {
            return Task::Pass;
        }
        let Some(kind) = self.ruled_kind() else { return Task::PassUnknown };
        let change = match (self.operation, &self.old_object, &self.object) {
            (Operation::Delete, Some(old), _) => Change::Delete { old },
            // Some API servers send none for a collection; the objects' own deletions come one by one.
            (Operation::Delete, None, _) => return Task::Pass,
            (_, _, None) => {
                return Task::Missing("request.object is missing; a CREATE or UPDATE must carry it");
            }
            (Operation::Update, Some(old), Some(new)) => Change::Update { old, new },
            (Operation::Update, None, Some(_)) => {
                return Task::Missing("request.oldObject is missing; an UPDATE must carry it");
            }
            (_, _, Some(new)) => Change::Create { new },
        };
        let options = self.options.as_ref();
        let field_manager =
            options.map(|options| options.field_manager.as_str()).filter(|name| !name.is_empty());
        Task::Judge(Request { kind, name: &self.name, namespace: &self.namespace, field_manager, change })
    }

    /// Whether it happens, or somebody only asks.
    pub(crate) fn occasion(&self) -> Occasion {
        if self.dry_run == Some(true) { Occasion::DryRun } else { Occasion::Write }
    }

    fn is_the_namespaces_end(&self) -> bool {
        let by = self.user_info.as_ref().map(|user| user.username.as_str());
        self.operation == Operation::Delete && by.is_some_and(|name| NAMESPACE_CONTROLLERS.contains(&name))
    }

    /// Labels for metrics.
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            kind: self.ruled_kind().map_or("other", Kind::as_str),
            operation: match self.operation {
                Operation::Create => "CREATE",
                Operation::Update => "UPDATE",
                Operation::Delete => Subject::DELETE,
                Operation::Other => "other",
            },
        }
    }

    fn ruled_kind(&self) -> Option<Kind> {
        Kind::parse(&self.kind.kind).filter(|_| self.kind.group == GROUP)
    }
}
