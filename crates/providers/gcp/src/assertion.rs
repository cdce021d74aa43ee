//! The signed text with which a service account asks for a token (RFC 7523).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;

use crate::account::ServiceAccount;
use crate::exchange::SCOPE;

/// How long an assertion may be used; Google takes an hour at most.
const LIFETIME_SECONDS: u64 = 3600;

/// An assertion made at that time, or what is wrong with the account's key; the key itself is not repeated.
pub(crate) fn of(account: &ServiceAccount, unix_seconds: u64) -> Result<String, &'static str> {
    let pem = account.private_key.as_bytes();
    let key =
        PrivateKeyDer::from_pem_slice(pem).map_err(|_| "member private_key is no private key in PEM")?;
    let pair = match &key {
        PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
        PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
        _ => return Err("member private_key is no RSA key, as Google's are"),
    };
    let pair = pair.map_err(|_| "member private_key is no RSA key of 2048 bits or more")?;
    let header = json!({ "alg": "RS256", "typ": "JWT", "kid": account.key_id });
    let claims = json!({
        "iss": account.email, "scope": SCOPE, "aud": account.token_uri,
        "iat": unix_seconds, "exp": unix_seconds + LIFETIME_SECONDS
    });
    let encode = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encode(&header), encode(&claims));
    let mut signature = vec![0; pair.public().modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)
        .map_err(|_| "member private_key can not sign")?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
