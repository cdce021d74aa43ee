//! Who may ask: tokens for a client secret, for an assertion, and for the identity of a VM.
//!
//! The signature of an assertion is not checked, its subject, audience and expiry are.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use axum::extract::Query;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, StatusCode, Uri, header::AUTHORIZATION};
use serde_json::{Value, json};

use super::{ArmError, Settings, clock, reply::Reply, request::Request};

const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const AUDIENCE: &str = "api://AzureADTokenExchange";

/// Tokens and what they are given for.
#[derive(Debug)]
pub(super) struct Tokens {
    tenant: &'static str,
    client_id: &'static str,
    secret: String,
    subject: &'static str,
    lifetime: Duration,
    given: BTreeMap<String, Instant>,
}

impl Tokens {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            tenant: settings.tenant,
            client_id: settings.client_id,
            secret: settings.client_secret.to_owned(),
            subject: settings.assertion_subject,
            lifetime: settings.token_lifetime,
            given: BTreeMap::new(),
        }
    }

    /// Another secret counts, and no token that was given before does.
    pub(super) fn rotate(&mut self, secret: String) {
        self.secret = secret;
        self.given.clear();
    }

    /// All tokens that were given are too old.
    pub(super) fn expire(&mut self, now: Instant) {
        self.given.values_mut().for_each(|expiry| *expiry = now);
    }

    fn give(&mut self, now: Instant) -> String {
        let token = format!("token-{}.of-{}", self.given.len() + 1, self.secret.len());
        let token = URL_SAFE_NO_PAD.encode(format!("{token}.{:?}", clock::now()));
        self.given.insert(token.clone(), now + self.lifetime);
        token
    }

    /// The answer of `/{tenant}/oauth2/v2.0/token`.
    pub(super) fn answer(&mut self, tenant: &str, form: &str, now: Instant) -> Reply {
        let form = parsed(form);
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        if !tenant.eq_ignore_ascii_case(self.tenant) {
            let text = format!("AADSTS90002: Tenant '{tenant}' not found.");
            return refusal(StatusCode::BAD_REQUEST, "invalid_request", 90002, &text);
        }
        if field("grant_type") != "client_credentials" {
            let text = "AADSTS900144: The request body must contain the following parameter: 'grant_type'.";
            return refusal(StatusCode::BAD_REQUEST, "invalid_request", 900_144, text);
        }
        if !field("scope").ends_with("/.default") {
            let text =
                "AADSTS1002012: The provided value for scope is not valid. It must end with /.default.";
            return refusal(StatusCode::BAD_REQUEST, "invalid_scope", 1_002_012, text);
        }
        if !field("client_id").eq_ignore_ascii_case(self.client_id) {
            let text = "AADSTS700016: The application was not found in the directory.";
            return refusal(StatusCode::BAD_REQUEST, "unauthorized_client", 700_016, text);
        }
        let objection = match (form.get("client_secret"), form.get("client_assertion")) {
            (Some(secret), None) => (*secret != self.secret).then_some((
                7_000_215,
                "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent is the value and not its ID.",
            )),
            (None, Some(assertion)) if field("client_assertion_type") == JWT_BEARER => self.objection(assertion),
            _ => Some((
                7_000_218,
                "AADSTS7000218: The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
            )),
        };
        if let Some((number, text)) = objection {
            return refusal(StatusCode::UNAUTHORIZED, "invalid_client", number, text);
        }
        let lifetime = self.lifetime.as_secs();
        let token = self.give(now);
        Reply::ok(json!({
            "token_type": "Bearer", "expires_in": lifetime, "ext_expires_in": lifetime, "access_token": token,
        }))
    }

    /// The answer of a VM's own identity endpoint.
    pub(super) fn answer_locally(&mut self, request: &Request, headers: &HeaderMap) -> Reply {
        let refuse = |text: &str| {
            Reply::json(
                StatusCode::BAD_REQUEST,
                json!({ "error": "invalid_request", "error_description": text }),
            )
        };
        if headers.get("metadata").is_none_or(|value| value != "true") {
            return refuse("Required metadata header not specified");
        }
        if request.api_version() < "2018-02-01" {
            return refuse("Bad request. api-version is invalid or was not specified in the request.");
        }
        let Some(resource) = request.query.get("resource") else {
            return refuse("Required query variable 'resource' is missing");
        };
        if request.query.get("client_id").is_some_and(|id| !id.eq_ignore_ascii_case(self.client_id)) {
            return refuse("Identity not found");
        }
        let expires =
            clock::now().as_second() + i64::try_from(self.lifetime.as_secs()).unwrap_or(i64::MAX / 2);
        Reply::ok(json!({
            "access_token": self.give(request.now), "client_id": self.client_id, "token_type": "Bearer",
            "resource": resource, "expires_in": self.lifetime.as_secs().to_string(), "expires_on": expires.to_string(),
        }))
    }

    fn objection(&self, assertion: &str) -> Option<(u32, &'static str)> {
        let malformed = (50_027, "AADSTS50027: JWT token is invalid or malformed.");
        let mut parts = assertion.split('.');
        let (Some(_), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Some(malformed);
        };
        let Ok(claims) = URL_SAFE_NO_PAD.decode(claims) else { return Some(malformed) };
        let Ok(claims) = serde_json::from_slice::<Value>(&claims) else { return Some(malformed) };
        if claims["sub"] != self.subject || claims["aud"] != AUDIENCE {
            return Some((
                700_213,
                "AADSTS700213: No matching federated identity record found for presented assertion.",
            ));
        }
        let expired = claims["exp"].as_i64().is_none_or(|expiry| expiry <= clock::now().as_second());
        expired.then_some((700_024, "AADSTS700024: Client assertion is not within its valid time range."))
    }

    /// Lets a request of Resource Manager in.
    pub(super) fn admit(&self, headers: &HeaderMap, now: Instant) -> Result<(), ArmError> {
        let refused = |code: &str, message: &str| Err(ArmError::new(StatusCode::UNAUTHORIZED, code, message));
        let Some(value) = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()) else {
            return refused(
                "AuthenticationFailed",
                "Authentication failed. The 'Authorization' header is missing.",
            );
        };
        match value.strip_prefix("Bearer ").and_then(|token| self.given.get(token)) {
            None => refused("InvalidAuthenticationToken", "The access token is invalid."),
            Some(expiry) if *expiry <= now => {
                refused("ExpiredAuthenticationToken", "The access token expiry has passed.")
            }
            Some(_) => Ok(()),
        }
    }
}

/// What a tenant says about itself to clients that ask before they log in.
pub(super) fn discovery(base: &str, tenant: &str) -> Reply {
    Reply::ok(json!({
        "issuer": format!("{base}/{tenant}/v2.0"),
        "token_endpoint": format!("{base}/{tenant}/oauth2/v2.0/token"),
        "authorization_endpoint": format!("{base}/{tenant}/oauth2/v2.0/authorize"),
        "device_authorization_endpoint": format!("{base}/{tenant}/oauth2/v2.0/devicecode"),
        "jwks_uri": format!("{base}/{tenant}/discovery/v2.0/keys"),
        "tenant_region_scope": "EU",
        "response_types_supported": ["code", "id_token"],
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": ["RS256"],
    }))
}

fn refusal(status: StatusCode, error: &str, number: u32, text: &str) -> Reply {
    let body = json!({
        "error": error,
        "error_description": format!("{text} Trace ID: 00000000-0000-4000-8000-000000000000"),
        "error_codes": [number],
        "timestamp": clock::now().to_string(),
    });
    Reply::json(status, body)
}

fn parsed(form: &str) -> BTreeMap<String, String> {
    let uri: Result<Uri, _> = format!("/?{form}").parse();
    uri.ok().and_then(|uri| Query::try_from_uri(&uri).ok()).map(|Query(form)| form).unwrap_or_default()
}
