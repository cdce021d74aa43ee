//! The servers that give tokens: for a service account's assertion, for a workload's token, and for an impersonation.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};

use super::clock::unix_seconds;

const AUDIENCE: &str = "https://oauth2.googleapis.com/token";
const LIFETIME: u64 = 3599;
/// How far a client's clock may be ahead.
const SKEW: u64 = 300;

/// Accounts, and the tokens that were given.
#[derive(Debug, Default)]
pub(super) struct TokenServer {
    /// The public keys of each service account.
    pub(super) accounts: BTreeMap<String, Vec<u8>>,
    /// The token of the workload that may impersonate.
    pub(super) workload: Option<String>,
    given: BTreeMap<String, Given>,
    last: u64,
}

#[derive(Debug)]
struct Given {
    to: String,
    until: u64,
}

/// Which server is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked<'a> {
    Assertion,
    Exchange,
    Impersonation { email: &'a str, bearer: &'a str },
}

impl TokenServer {
    /// Status and body of an answer.
    pub(super) fn answer(&mut self, asked: Asked<'_>, body: &[u8]) -> (u16, Value) {
        let given = match asked {
            Asked::Assertion => self.by_assertion(&form(body)),
            Asked::Exchange => self.by_exchange(&form(body)),
            Asked::Impersonation { email, bearer } => return self.impersonated(email, bearer),
        };
        match given {
            Ok(to) => (
                200,
                json!({ "access_token": self.give(to), "expires_in": LIFETIME, "token_type": "Bearer" }),
            ),
            Err(why) => (400, json!({ "error": "invalid_grant", "error_description": why })),
        }
    }

    /// To whom a token was given that is still good.
    pub(super) fn holder(&self, token: &str) -> Option<&str> {
        let given = self.given.get(token).filter(|given| given.until > unix_seconds())?;
        self.accounts.contains_key(&given.to).then_some(&given.to)
    }

    /// Lets every token expire.
    pub(super) fn expire(&mut self) {
        self.given.clear();
    }

    /// A new token.
    pub(super) fn give(&mut self, to: String) -> String {
        self.last += 1;
        let token = format!("ya29.stand-in-token-{}", self.last);
        self.given.insert(token.clone(), Given { to, until: unix_seconds() + LIFETIME });
        token
    }

    fn by_assertion(&self, form: &BTreeMap<String, String>) -> Result<String, &'static str> {
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        if field("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
            return Err("Invalid grant type.");
        }
        let assertion = field("assertion");
        let (signed, signature) = assertion.rsplit_once('.').ok_or("Invalid JWT.")?;
        let (header, claims) = signed.split_once('.').ok_or("Invalid JWT.")?;
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| "Invalid JWT.");
        let read = |text: &str| serde_json::from_slice::<Value>(&decode(text)?).map_err(|_| "Invalid JWT.");
        let (header, claims) = (read(header)?, read(claims)?);
        if header["alg"] != "RS256" || header["typ"] != "JWT" {
            return Err("Invalid JWT: header must be RS256.");
        }
        let account = claims["iss"].as_str().unwrap_or_default();
        let key = self.accounts.get(account).ok_or("Invalid grant: account not found")?;
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key);
        key.verify(signed.as_bytes(), &decode(signature)?).map_err(|_| "Invalid JWT Signature.")?;
        let time = |name: &str| claims[name].as_u64().unwrap_or_default();
        let now = unix_seconds();
        let fresh = time("exp") > now && time("iat") <= now + SKEW && time("exp") <= time("iat") + 3600;
        if claims["aud"] != AUDIENCE || !fresh {
            return Err("Invalid JWT: Token must be a short-lived token (60 minutes) for this audience.");
        }
        if !claims["scope"].as_str().unwrap_or_default().contains("/auth/compute") {
            return Err("Invalid OAuth scope.");
        }
        Ok(account.to_owned())
    }

    fn by_exchange(&self, form: &BTreeMap<String, String>) -> Result<String, &'static str> {
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        let good = field("grant_type") == "urn:ietf:params:oauth:grant-type:token-exchange"
            && field("requested_token_type") == "urn:ietf:params:oauth:token-type:access_token"
            && field("subject_token_type") == "urn:ietf:params:oauth:token-type:jwt"
            && field("audience").starts_with("//iam.googleapis.com/");
        let known = self.workload.as_deref().is_some_and(|workload| workload == field("subject_token"));
        if good && known { Ok(WORKLOAD.to_owned()) } else { Err("The subject token is not known.") }
    }

    fn impersonated(&mut self, email: &str, bearer: &str) -> (u16, Value) {
        let is_workload = self.given.get(bearer).is_some_and(|given| given.to == WORKLOAD);
        if !is_workload || !self.accounts.contains_key(email) {
            let message = "Permission 'iam.serviceAccounts.getAccessToken' denied";
            return (
                403,
                json!({ "error": { "code": 403, "message": message, "status": "PERMISSION_DENIED" } }),
            );
        }
        (200, json!({ "accessToken": self.give(email.to_owned()), "expireTime": super::project::now() }))
    }
}

/// Who holds the token of an exchange, which is good for impersonations only.
const WORKLOAD: &str = "a workload";

/// A form's fields.
fn form(body: &[u8]) -> BTreeMap<String, String> {
    form_urlencoded::parse(body).into_owned().collect()
}
