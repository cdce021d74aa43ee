//! Lets requests in, judges them, and hands them to whom they concern.

use std::future::pending;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode, header};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::description::Description;
use super::fields::Choice;
use super::misfortune::Waiting;
use super::project::Project;
use super::requests::{self, Asked};
use super::token_server::{self, TokenServer};
use super::{Entry, Misfortune, Refusal};

const LARGEST_BODY: usize = 8 << 20;

/// What all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) project: Mutex<Project>,
    pub(super) tokens: Mutex<TokenServer>,
    pub(super) waiting: Mutex<Waiting>,
    pub(super) journal: Mutex<Vec<Entry>>,
    pub(super) violations: Mutex<Vec<String>>,
    pub(super) description: Description,
}

pub(super) async fn serve(State(shared): State<Arc<Shared>>, request: http::Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        return refused(&Refusal::new(413, "uploadTooLarge", "The request is too large."));
    };
    let path = parts.uri.path().to_owned();
    let bearer = bearer(&parts.headers).to_owned();
    let token = token_call(&path, &bearer);
    let operation = match (&token, shared.description.method(parts.method.as_str(), &path)) {
        (Some(_), _) => "token".to_owned(),
        (None, Some((method, _))) => method.name.clone(),
        (None, None) => "nothing".to_owned(),
    };
    let changes = token.is_none() && parts.method != http::Method::GET;
    let entry = Entry { operation, changes, path: path.clone() };
    shared.journal.lock().push(entry.clone());
    let struck = shared.waiting.lock().strikes(&entry);
    match &struck {
        Some(Misfortune::Refuse(refusal)) => return refused(refusal),
        Some(Misfortune::Hang) => pending().await,
        Some(Misfortune::LoseReply | Misfortune::LeaveOut | Misfortune::FailLater(..)) | None => {}
    }
    let answer = match token {
        Some(asked) => {
            let (status, body) = shared.tokens.lock().answer(asked, &body);
            written(status, &body, None)
        }
        None => shared.api(
            parts.method.as_str(),
            &path,
            parts.uri.query().unwrap_or_default(),
            &bearer,
            &body,
            struck.as_ref(),
        ),
    };
    if struck == Some(Misfortune::LoseReply) {
        return pending().await;
    }
    answer
}

impl Shared {
    fn api(
        &self,
        http_method: &str,
        path: &str,
        query: &str,
        bearer: &str,
        body: &[u8],
        struck: Option<&Misfortune>,
    ) -> Response {
        if self.tokens.lock().holder(bearer).is_none() {
            let message = "Request had invalid authentication credentials.";
            return refused(&Refusal::new(401, "authError", message));
        }
        let Some((method, path)) = self.description.method(http_method, path) else {
            return self.violated(vec![format!("there is no method {http_method} {path}")]);
        };
        let query: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let body = match body {
            [] => None,
            body => match serde_json::from_slice::<Value>(body) {
                Ok(body) => Some(body),
                Err(error) => return self.violated(vec![format!("{}: no JSON: {error}", method.name)]),
            },
        };
        let wrong = self.description.judge_request(method, &path, &query, body.as_ref());
        if !wrong.is_empty() {
            return self.violated(wrong);
        }
        let choice = query.iter().find(|(name, _)| name == "fields").map(|(_, text)| Choice::read(text));
        if choice == Some(None) {
            return self.violated(vec![format!("{}: fields can not be read", method.name)]);
        }
        let mut project = self.project.lock();
        if path.get("project") != Some(&project.id) {
            let named = path.get("project").map_or("", String::as_str);
            return refused(&Refusal::not_found(&format!("projects/{named}")));
        }
        project.tick();
        let fails = match struck {
            Some(Misfortune::FailLater(code, message)) => Some((code.clone(), message.clone())),
            _ => None,
        };
        let asked = Asked { path: &path, query: &query, body: body.as_ref(), fails };
        let answer = requests::answer(&method.name, &asked, &mut project);
        drop(project);
        match answer {
            Ok(mut answer) => {
                if struck == Some(&Misfortune::LeaveOut) {
                    leave_out(&mut answer);
                }
                let wrong = self.description.judge_answer(method, &answer);
                if !wrong.is_empty() {
                    return self.violated(wrong);
                }
                let chosen = choice.flatten().map_or_else(|| answer.clone(), |choice| choice.of(&answer));
                written(200, &chosen, None)
            }
            Err(refusal) => refused(&refusal),
        }
    }

    fn violated(&self, wrong: Vec<String>) -> Response {
        let answer = refused(&Refusal::invalid(wrong.join("; ")));
        self.violations.lock().extend(wrong);
        answer
    }
}

/// A list without its entries, as one that could not ask everywhere.
fn leave_out(list: &mut Value) {
    if let Some(list) = list.as_object_mut() {
        list.shift_remove("items");
        let warning = json!({ "code": "UNREACHABLE", "message": "Some resources could not be reached." });
        list.insert("warning".to_owned(), warning);
    }
}

/// Which token server a path is of.
fn token_call<'a>(path: &'a str, bearer: &'a str) -> Option<token_server::Asked<'a>> {
    match path {
        "/token" => Some(token_server::Asked::Assertion),
        "/v1/token" => Some(token_server::Asked::Exchange),
        path => {
            let email =
                path.strip_prefix("/v1/projects/-/serviceAccounts/")?.strip_suffix(":generateAccessToken")?;
            Some(token_server::Asked::Impersonation { email, bearer })
        }
    }
}

fn bearer(headers: &HeaderMap) -> &str {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    value.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default()
}

fn refused(refusal: &Refusal) -> Response {
    written(refusal.http, &refusal.body(), refusal.retry_after)
}

fn written(status: u16, body: &Value, retry_after: Option<u64>) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json; charset=UTF-8"));
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
