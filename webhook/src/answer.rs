//! From a body to the review to send back. Pure; the HTTP around it stands in `routes`.

use jiff::Timestamp;
use millwright_admission::{Decision, Request, Rulebook, Verdict, Warning, preview, review, validate};
use millwright_provider::FieldError;

use crate::Neighbours;
use crate::admission_request::{self, AdmissionRequest, Task, Unreadable};
use crate::admission_response::{AdmissionReview, cut};
use crate::endpoint::Endpoint;
use crate::metrics::Subject;
use crate::outcome::Outcome;

/// What an answer is made from, besides the request.
pub(crate) struct Ground<'a> {
    /// What is known of other objects.
    pub(crate) neighbours: &'a Neighbours,
    /// The rules.
    pub(crate) rulebook: &'a Rulebook,
    /// The time of the request, for maintenance windows.
    pub(crate) now: Timestamp,
}

/// An answer and what to count it as.
pub(crate) struct Answer {
    pub(crate) subject: Subject,
    pub(crate) outcome: Outcome,
    /// A text when not even the uid could be read.
    pub(crate) review: Result<AdmissionReview, String>,
}

impl Answer {
    /// Somebody may not delete something.
    pub(crate) fn is_refused_deletion(&self) -> bool {
        self.outcome == Outcome::Denied && self.subject.operation == Subject::DELETE
    }
}

/// Answers a body.
pub(crate) fn answer(endpoint: Endpoint, body: &[u8], ground: &Ground<'_>) -> Answer {
    let request = match admission_request::read(body) {
        Ok(request) => request,
        Err(Unreadable { uid, reason }) => {
            let review = match uid {
                Some(uid) => Ok(AdmissionReview::bad_request(uid, reason)),
                None => Err(reason),
            };
            return Answer { subject: Subject::UNKNOWN, outcome: Outcome::Malformed, review };
        }
    };
    let subject = request.subject();
    let (outcome, review) = match request.task() {
        Task::Judge(task) => judge(endpoint, &request, &task, ground),
        Task::Pass => (Outcome::NotJudged, AdmissionReview::allowed(request.uid, Vec::new())),
        Task::PassUnknown => {
            let warning =
                "millwright-webhook has no rules for this kind; remove it from the webhook configuration";
            (Outcome::NotJudged, AdmissionReview::allowed(request.uid, vec![warning.to_owned()]))
        }
        Task::Missing(what) => {
            (Outcome::Malformed, AdmissionReview::bad_request(request.uid, what.to_owned()))
        }
    };
    Answer { subject, outcome, review: Ok(review) }
}

fn judge(
    endpoint: Endpoint,
    request: &AdmissionRequest,
    task: &Request<'_>,
    ground: &Ground<'_>,
) -> (Outcome, AdmissionReview) {
    let uid = request.uid.clone();
    let (facts, rulebook) = (&ground.neighbours.of(task.namespace), ground.rulebook);
    match endpoint {
        // Refused here already: the API server checks the CRD's own rules between the two questions, and
        // one mistake that it finds would hide all of ours.
        Endpoint::Mutate => match review(task, facts, rulebook) {
            Decision { errors, warnings, .. } if !errors.is_empty() => refuse(request, &errors, &warnings),
            Decision { patch: None, .. } => (Outcome::Allowed, AdmissionReview::allowed(uid, Vec::new())),
            Decision { patch: Some(patch), .. } => match AdmissionReview::patched(uid.clone(), &patch) {
                Ok(review) => (Outcome::Patched, review),
                Err(error) => (
                    Outcome::Malformed,
                    AdmissionReview::bad_request(uid, format!("the defaults can't be sent: {error}")),
                ),
            },
        },
        Endpoint::Validate => match validate(task, facts, rulebook) {
            Verdict { errors, warnings } if errors.is_empty() => {
                // What happens next comes first: the list may be cut at its end.
                let mut told = preview(task, facts, request.occasion(), ground.now);
                told.extend(texts(&warnings));
                (Outcome::Allowed, AdmissionReview::allowed(uid, told))
            }
            Verdict { errors, warnings } => refuse(request, &errors, &warnings),
        },
    }
}

fn refuse(
    request: &AdmissionRequest,
    errors: &[FieldError],
    warnings: &[Warning],
) -> (Outcome, AdmissionReview) {
    tracing::info!(
        kind = request.kind.kind,
        namespace = request.namespace,
        name = cut(&request.name),
        fields = ?errors.iter().take(10).map(|error| cut(&error.field)).collect::<Vec<_>>(),
        "refused"
    );
    (Outcome::Denied, AdmissionReview::denied(request, errors, texts(warnings)))
}

/// With the id of the rule at the end, as errors have it.
fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}
