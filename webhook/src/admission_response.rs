//! `AdmissionReview` as the API server wants it back: patches in base64, refusals as 422 Invalid with
//! one cause a field, which kubectl prints as one line each, and all of them in the message for clients
//! that print only that.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use json_patch::Patch;
use millwright_provider::FieldError;
use serde::Serialize;

use crate::admission_request::{API_VERSION, AdmissionRequest};
use crate::warnings::fitted;

/// An answer has room for this many mistakes; whoever makes more has made one mistake many times.
const MOST_CAUSES: usize = 50;
const LONGEST_TEXT: usize = 1000;

/// The review to send back.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionReview {
    api_version: &'static str,
    kind: &'static str,
    response: Response,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    api_version: &'static str,
    kind: &'static str,
    status: &'static str,
    code: u16,
    reason: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(Debug, Serialize)]
struct Details {
    name: String,
    group: String,
    kind: String,
    causes: Vec<Cause>,
}

#[derive(Debug, Serialize)]
struct Cause {
    reason: &'static str,
    field: String,
    message: String,
}

impl AdmissionReview {
    /// Allowed as it is.
    pub(crate) fn allowed(uid: String, warnings: Vec<String>) -> Self {
        Self::of(Response { uid, allowed: true, warnings: fitted(warnings), ..Response::default() })
    }

    /// Allowed with changes.
    ///
    /// # Errors
    /// When the patch can't be printed as JSON, which a patch of JSON values can.
    pub(crate) fn patched(uid: String, patch: &Patch) -> Result<Self, serde_json::Error> {
        let patch = BASE64.encode(serde_json::to_vec(patch)?);
        let (patch, patch_type) = (Some(patch), Some("JSONPatch"));
        Ok(Self::of(Response { uid, allowed: true, patch, patch_type, ..Response::default() }))
    }

    /// Refused for these mistakes.
    pub(crate) fn denied(
        request: &AdmissionRequest,
        errors: &[FieldError],
        mut warnings: Vec<String>,
    ) -> Self {
        let causes: Vec<Cause> = errors
            .iter()
            .take(MOST_CAUSES)
            .map(|error| Cause {
                reason: error.kind.reason(),
                field: cut(&error.field),
                message: format!("{} [{}]", cut(&error.detail), error.rule),
            })
            .collect();
        if errors.len() > causes.len() {
            warnings.insert(0, format!("{} more mistakes are not shown", errors.len() - causes.len()));
        }
        let status = Status {
            message: message(request, &causes, errors.len()),
            details: Some(Details {
                name: cut(&request.name),
                group: request.kind.group.clone(),
                kind: request.kind.kind.clone(),
                causes,
            }),
            ..Status::failure(422, "Invalid")
        };
        let warnings = fitted(warnings);
        Self::of(Response { uid: request.uid.clone(), status: Some(status), warnings, ..Response::default() })
    }

    /// Refused because the request itself is wrong, not the object.
    pub(crate) fn bad_request(uid: String, message: String) -> Self {
        let status = Status { message: cut(&message), ..Status::failure(400, "BadRequest") };
        Self::of(Response { uid, status: Some(status), ..Response::default() })
    }

    fn of(response: Response) -> Self {
        Self { api_version: API_VERSION, kind: "AdmissionReview", response }
    }
}

impl Status {
    fn failure(code: u16, reason: &'static str) -> Self {
        Self {
            api_version: "v1",
            kind: "Status",
            status: "Failure",
            code,
            reason,
            message: String::new(),
            details: None,
        }
    }
}

/// One line with every cause, in the API server's own manner.
fn message(request: &AdmissionRequest, causes: &[Cause], count: usize) -> String {
    let mut text = format!("{} {:?} is invalid: ", request.kind.kind, cut(&request.name));
    let many = count > 1;
    if many {
        text.push('[');
    }
    for (index, cause) in causes.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{separator}{}: {}", cause.field, cause.message); // writing to a String can't fail
    }
    if count > causes.len() {
        let _ = write!(text, ", and {} more", count - causes.len());
    }
    if many {
        text.push(']');
    }
    text
}

/// A text that a user wrote, at the length that an answer or a log line has room for.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
