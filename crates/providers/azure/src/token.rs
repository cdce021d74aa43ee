//! Gets what opens Resource Manager: from Entra by a secret or an assertion, or from the VM's own metadata service.

use std::path::Path;
use std::time::Duration;

use http::{Method, Request, header};
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, Urgency};
use millwright_provider::ProviderError;
use serde::{Deserialize, Deserializer};

use crate::account::Token;
use crate::errors::{self, CLOUD, TABLE};
use crate::secrets::Proof;
use crate::session::{Class, Session};

/// Below which files with tokens lie: where Kubernetes mounts them. Whoever writes a Secret must not choose any file of the
/// controller and have it sent.
const TOKEN_FILES: &str = "/var/run/secrets/";
/// The controller's own account in the cluster, which is nobody's business outside.
const OWN_ACCOUNT: &str = "kubernetes.io";
/// A token is renewed so long before its end.
const MARGIN: Duration = Duration::from_secs(300);
const OPERATION: &str = "token";

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default, deserialize_with = "seconds")]
    expires_in: u64,
}

/// Entra says a number, the metadata service a text.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Seconds {
        Number(u64),
        Text(String),
    }
    Ok(match Seconds::deserialize(deserializer)? {
        Seconds::Number(number) => number,
        Seconds::Text(text) => text.parse().unwrap_or_default(),
    })
}

/// Whether a token was asked for just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Kept,
    New,
}

/// The token that is known, or a new one.
pub(crate) async fn token(session: &Session<'_>, urgency: Urgency) -> Result<(Token, Origin), ProviderError> {
    // Who waits behind another's request for a token waits no longer than his own deadline.
    tokio::time::timeout(session.left(), known_or_new(session, urgency)).await.unwrap_or_else(|_| {
        let message = format!("{CLOUD}: no token came in time");
        Err(ProviderError::new(MachineCode::DeadlineExceeded, message))
    })
}

async fn known_or_new(session: &Session<'_>, urgency: Urgency) -> Result<(Token, Origin), ProviderError> {
    let mut known = session.account.token.lock().await;
    let now = session.now();
    if let Some(token) = known.as_ref().filter(|token| token.stale > now) {
        return Ok((token.clone(), Origin::Kept));
    }
    *known = None;
    let answer = session.exchange(OPERATION, Class::Login, urgency, request(session).await?).await?;
    let token = read(session, &answer)?;
    *known = Some(token.clone());
    Ok((token, Origin::New))
}

/// Lets the next call ask for another one, if it is still the one that was refused.
pub(crate) async fn drop_token(session: &Session<'_>, refused: &Token) {
    let mut known = session.account.token.lock().await;
    known.take_if(|token| token.text == refused.text);
}

fn read(session: &Session<'_>, answer: &Answer) -> Result<Token, ProviderError> {
    if !answer.status.is_success() {
        return Err(errors::refusal(OPERATION, answer, &session.account.redaction).of(CLOUD, &TABLE));
    }
    let granted: Granted =
        answer.json().map_err(|_| session.strange(OPERATION, "the answer holds no token"))?;
    let is_header =
        !granted.access_token.is_empty() && granted.access_token.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_header {
        return Err(session.strange(OPERATION, "the answer holds no token that fits into a header"));
    }
    let life = Duration::from_secs(granted.expires_in);
    let used = if life > MARGIN * 2 { life - MARGIN } else { life / 2 };
    Ok(Token { text: granted.access_token, stale: session.now() + used })
}

async fn request(session: &Session<'_>) -> Result<Request<Vec<u8>>, ProviderError> {
    let account = session.account;
    let audience = account.cloud.resource_manager();
    if account.proof == Proof::ManagedIdentity {
        return managed(session, audience);
    }
    let scope = format!("{audience}/.default");
    let assertion;
    let mut form = vec![
        ("grant_type", "client_credentials"),
        ("client_id", account.client.as_str()),
        ("scope", scope.as_str()),
    ];
    if account.proof == Proof::TokenFile {
        assertion = read_file(account.token_file.as_deref().unwrap_or_default()).await?;
        form.push(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"));
        form.push(("client_assertion", &assertion));
    } else {
        form.push(("client_secret", account.client_secret.as_deref().unwrap_or_default()));
    }
    let body: Vec<String> =
        form.iter().map(|(key, value)| format!("{key}={}", crate::arm::segment(value))).collect();
    let address = format!("{}/{}/oauth2/v2.0/token", account.login, account.tenant);
    let request = Request::builder()
        .method(Method::POST)
        .uri(address)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json");
    request.body(body.join("&").into_bytes()).map_err(|error| session.unsendable(OPERATION, &error))
}

fn managed(session: &Session<'_>, audience: &str) -> Result<Request<Vec<u8>>, ProviderError> {
    let account = session.account;
    let Some(metadata) = &account.metadata else {
        let message = format!(
            "{CLOUD}: the Secret wants the managed identity of the controller's VM, which the operator does not lend: start the \
             controller with --cloud-endpoint azure.metadata=http://169.254.169.254, or put clientSecret into the Secret"
        );
        return Err(ProviderError::new(MachineCode::FailedPrecondition, message));
    };
    let address = format!(
        "{metadata}/metadata/identity/oauth2/token?api-version=2018-02-01&resource={}&client_id={}",
        crate::arm::segment(audience),
        crate::arm::segment(&account.client)
    );
    let request = Request::builder().method(Method::GET).uri(address).header("Metadata", "true");
    request.body(Vec::new()).map_err(|error| session.unsendable(OPERATION, &error))
}

/// Read anew each time: the kubelet replaces it.
async fn read_file(path: &str) -> Result<String, ProviderError> {
    let refuse = |reason: String| {
        ProviderError::new(
            MachineCode::Unauthenticated,
            format!("{CLOUD}: workloadIdentityTokenFile: {reason}"),
        )
    };
    if !is_allowed(Path::new(path)) {
        return Err(refuse(format!(
            "it must lie below {TOKEN_FILES}, and not be the controller's own of the cluster; mount the token there"
        )));
    }
    let read = async {
        // Links inside a mount are Kubernetes' way to swap it; they must not lead out of where it may lie.
        let real = tokio::fs::canonicalize(path).await?;
        Ok::<_, std::io::Error>((is_allowed(&real), tokio::fs::read_to_string(&real).await?))
    };
    match read.await {
        Ok((true, text)) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        Ok((true, _)) => Err(refuse("the file is empty".into())),
        Ok((false, _)) => Err(refuse(format!("it must lie below {TOKEN_FILES} and lead nowhere else"))),
        Err(error) => Err(refuse(format!("the file can not be read: {}; is it mounted?", error.kind()))),
    }
}

fn is_allowed(path: &Path) -> bool {
    let places = [TOKEN_FILES, "/run/secrets/"];
    let is_plain = path
        .components()
        .all(|part| matches!(part, std::path::Component::RootDir | std::path::Component::Normal(_)));
    is_plain
        && places
            .iter()
            .any(|place| path.strip_prefix(place).is_ok_and(|inside| !inside.starts_with(OWN_ACCOUNT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_tokens_that_were_mounted_are_read() {
        for path in [
            "/etc/passwd",
            "/var/run/secrets/../../etc/passwd",
            "var/run/secrets/x",
            "",
            "/proc/self/environ",
            "/var/run/secrets/kubernetes.io/serviceaccount/token",
            "/run/secrets/kubernetes.io/serviceaccount/token",
        ] {
            let error = read_file(path).await.unwrap_err();
            assert!(error.message.contains("must lie below /var/run/secrets/"), "{path}: {error}");
        }
        let error = read_file("/var/run/secrets/azure/no-such-token").await.unwrap_err();
        assert!(error.message.contains("can not be read"), "{error}");
        assert_eq!(error.code, MachineCode::Unauthenticated);
    }

    #[test]
    fn a_life_is_read_as_number_and_as_text() {
        for body in
            [r#"{"access_token":"t","expires_in":3599}"#, r#"{"access_token":"t","expires_in":"3599"}"#]
        {
            assert_eq!(serde_json::from_str::<Granted>(body).unwrap().expires_in, 3599);
        }
    }
}
