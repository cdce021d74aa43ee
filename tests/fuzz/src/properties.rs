//! What must be true of every answer, whatever was asked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Answer, Finding, Path, Webhook};

/// Fifty causes of two thousand characters and a message with all of them, each character up to four bytes or
/// escaped, besides the uid.
const LARGEST_ANSWER: usize = 1 << 20;
const MOST_CAUSES: usize = 50;

/// The answers to one body, which are as they must be.
#[derive(Debug)]
pub struct Judged {
    /// Of `/mutate`.
    pub mutate: Answer,
    /// Of `/validate`.
    pub validate: Answer,
}

/// What the body says, read as leniently as an answer under its uid needs.
#[derive(Deserialize)]
struct Envelope {
    request: Uid,
}

#[derive(Deserialize)]
struct Uid {
    uid: String,
}

/// Asks both questions and holds the answers against each other and the body.
///
/// # Errors
/// When an answer is as it must never be.
pub fn judge(webhook: &Webhook, body: &[u8]) -> Result<Judged, Finding> {
    let mutate = webhook.answer(Path::Mutate, body)?;
    let validate = webhook.answer(Path::Validate, body)?;
    let uid = serde_json::from_slice::<Envelope>(body).ok().map(|envelope| envelope.request.uid);
    let uid = uid.filter(|uid| !uid.is_empty());
    let review: Option<Value> = serde_json::from_slice(body).ok();
    for (path, answer) in [(Path::Mutate, &mutate), (Path::Validate, &validate)] {
        let response = well_formed(answer, uid.as_deref()).map_err(found(path))?;
        if response["allowed"] == true && !is_a_review(body) {
            return Err(found(path)("garbage was allowed".to_owned()));
        }
    }
    if let Some(review) = review {
        settled(webhook, &review, &mutate).map_err(found(Path::Mutate))?;
    }
    let again = webhook.answer(Path::Validate, body)?;
    if again != validate {
        return Err(found(Path::Validate)("the same question has two answers".to_owned()));
    }
    Ok(Judged { mutate, validate })
}

fn found(path: Path) -> impl Fn(String) -> Finding {
    move |what| Finding { path: path.as_str(), what }
}

/// Whether the body is text in JSON with the least that a review must have to be judged.
fn is_a_review(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Review {
        api_version: String,
        #[serde(rename = "request")]
        _request: Request,
    }
    #[derive(Deserialize)]
    struct Request {
        #[serde(rename = "uid")]
        _uid: String,
        #[serde(rename = "operation")]
        _operation: String,
        #[serde(rename = "kind")]
        _kind: Kind,
    }
    #[derive(Deserialize)]
    struct Kind {
        #[serde(rename = "kind")]
        _kind: String,
    }
    let review = std::str::from_utf8(body).ok().and_then(|text| serde_json::from_str::<Review>(text).ok());
    review.is_some_and(|review| review.api_version == "admission.k8s.io/v1")
}

/// The answer's `response`, `Null` for a body without a uid.
fn well_formed(answer: &Answer, uid: Option<&str>) -> Result<Value, String> {
    let Answer { status, body } = answer;
    let Some(uid) = uid else {
        // A review with an empty uid is a review, and is answered as one.
        let empty = serde_json::from_slice::<Value>(body).is_ok_and(|answer| answer["response"]["uid"] == "");
        return match status {
            400 if !body.is_empty() => Ok(Value::Null),
            200 if empty => Ok(Value::Null),
            _ => Err(format!("a body without uid was answered with {status}")),
        };
    };
    if *status != 200 {
        return Err(format!("status {status} although the uid can be read"));
    }
    if body.len() > LARGEST_ANSWER + 6 * uid.len() {
        return Err(format!("an answer of {} bytes", body.len()));
    }
    let mut answer: Value = serde_json::from_slice(body).map_err(|error| format!("no JSON: {error}"))?;
    let response = answer["response"].take();
    if answer["apiVersion"] != "admission.k8s.io/v1" || answer["kind"] != "AdmissionReview" {
        return Err("the answer is no AdmissionReview of v1".to_owned());
    }
    if response["uid"] != uid {
        return Err(format!("the answer has uid {}", response["uid"]));
    }
    match response["allowed"].as_bool() {
        Some(true) if response.get("status").is_some() => return Err("allowed, with a status".to_owned()),
        Some(true) => {}
        Some(false) => refusal(&response)?,
        None => return Err("neither allowed nor refused".to_owned()),
    }
    let warnings = response["warnings"].as_array().cloned().unwrap_or_default();
    let lengths =
        warnings.iter().map(|warning| warning.as_str().map_or(usize::MAX, |text| text.chars().count()));
    if lengths.clone().any(|length| length > 256) || lengths.sum::<usize>() > 4096 {
        return Err("the warnings are more than the API server passes on".to_owned());
    }
    Ok(response)
}

fn refusal(response: &Value) -> Result<(), String> {
    let status = &response["status"];
    if response.get("patch").is_some() {
        return Err("refused, with a patch".to_owned());
    }
    if status["message"].as_str().is_none_or(str::is_empty) {
        return Err("refused without a message".to_owned());
    }
    match status["code"].as_u64() {
        Some(400) => Ok(()),
        Some(422) => {
            let causes = status["details"]["causes"].as_array().ok_or("422 without causes")?;
            let said = |cause: &Value, part: &str| cause[part].as_str().is_some_and(|text| !text.is_empty());
            if causes.is_empty() || causes.len() > MOST_CAUSES {
                return Err(format!("{} causes", causes.len()));
            }
            match causes.iter().find(|cause| !said(cause, "message") || !said(cause, "reason")) {
                Some(cause) => Err(format!("a cause that says nothing: {cause}")),
                None => Ok(()),
            }
        }
        Some(403 | 409) => Ok(()),
        other => Err(format!("refused with code {other:?}")),
    }
}

/// A patch applies, takes nothing away, leaves nothing to patch, and what it makes is allowed.
fn settled(webhook: &Webhook, review: &Value, mutate: &Answer) -> Result<(), String> {
    let Ok(answer) = serde_json::from_slice::<Value>(&mutate.body) else { return Ok(()) };
    let response = &answer["response"];
    if response["allowed"] != true {
        return Ok(());
    }
    let mut patched = review.clone();
    if let Some(patch) = response["patch"].as_str() {
        let patch = BASE64.decode(patch).map_err(|error| format!("the patch is not base64: {error}"))?;
        let patch: json_patch::Patch =
            serde_json::from_slice(&patch).map_err(|error| format!("the patch is no patch: {error}"))?;
        let object = &mut patched["request"]["object"];
        json_patch::patch(object, &patch).map_err(|error| format!("the patch does not apply: {error}"))?;
        if let Some(path) = lost(&review["request"]["object"], object, String::new()) {
            return Err(format!("the defaults changed what the user wrote at {path}"));
        }
    }
    let body = patched.to_string().into_bytes();
    for path in Path::BOTH {
        let again = webhook.answer(path, &body).map_err(|finding| finding.to_string())?;
        let again: Value = serde_json::from_slice(&again.body).map_err(|error| error.to_string())?;
        if again["response"]["allowed"] != json!(true) {
            return Err(format!(
                "the object with its defaults is refused by {}: {}",
                path.as_str(),
                again["response"]
            ));
        }
        if again["response"].get("patch").is_some() {
            return Err("the object with its defaults gets further defaults".to_owned());
        }
    }
    Ok(())
}

/// Where something that was there is gone or different. A default may stand in place of a null.
fn lost(before: &Value, after: &Value, path: String) -> Option<String> {
    match (before, after) {
        (Value::Null, _) => None,
        (Value::Object(before), Value::Object(after)) => before.iter().find_map(|(key, before)| {
            let path = format!("{path}/{key}");
            match after.get(key) {
                Some(after) => lost(before, after, path),
                None => Some(path),
            }
        }),
        (before, after) => (before != after).then_some(path),
    }
}
