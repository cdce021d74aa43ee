//! Sessions of roles, from a security token service of a few lines.

use std::sync::Arc;

use millwright_cloud_http::{Endpoints, HttpClient};
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

/// Answers every call with a status and a body, and writes down what was asked.
async fn service(status: u16, body: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            let mut chunk = [0; 4096];
            // The bodies here are short, and their last parameter is known.
            while !String::from_utf8_lossy(&request).contains("WebIdentityToken=") {
                match stream.read(&mut chunk).await {
                    Ok(read) if read > 0 => request.extend_from_slice(&chunk[..read]),
                    _ => break,
                }
            }
            seen.lock().push(String::from_utf8_lossy(&request).into_owned());
            let answer = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: text/xml\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let _client_may_be_gone = stream.write_all(answer.as_bytes()).await;
        }
    });
    (url, asked)
}

fn role(url: &str, file: &std::path::Path) -> Role {
    let _another_test_may_have_done_it = rustls::crypto::ring::default_provider().install_default();
    let endpoints = Endpoints::default().with(Endpoint::AwsSts, url).expect("an address");
    let access = CloudAccess::over(Arc::new(HttpClient::new().expect("a client"))).at(endpoints);
    let http = aws_smithy_http_client::Builder::new().build_http();
    Role {
        sts: sts("eu-west-1", &access, &http, None),
        access,
        role: "arn:aws:iam::1:role/machines".into(),
        trust: Trust::Token { file: file.display().to_string() },
        redaction: Redaction::default(),
    }
}

fn session(id: &str) -> String {
    format!(
        "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleWithWebIdentityResult>\
         <Credentials><AccessKeyId>{id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>\
         <Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>\
         <ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></AssumeRoleWithWebIdentityResponse>"
    )
}

#[tokio::test]
async fn a_token_is_read_anew_for_every_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    let (url, asked) = service(200, session("ASIA1")).await;
    let role = role(&url, &file);
    for token in ["first-token", "second-token"] {
        std::fs::write(&file, format!("{token}\n")).expect("a token");
        let keys = role.session().await.expect("a session");
        assert_eq!((keys.access_key_id(), keys.session_token()), ("ASIA1", Some("t")));
        assert!(keys.expiry().is_some());
        let last = asked.lock().last().cloned().unwrap_or_default();
        assert!(last.contains(&format!("WebIdentityToken={token}")), "{last}");
        assert!(
            last.contains("Action=AssumeRoleWithWebIdentity") && !last.contains("authorization"),
            "{last}"
        );
    }
}

#[tokio::test]
async fn a_refused_token_is_unauthenticated_and_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "hush-hush-token").expect("a token");
    let body = "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>no hush-hush-token here</Message></Error>\
                <RequestId>r-1</RequestId></ErrorResponse>";
    let (url, _) = service(400, body.to_owned()).await;
    let refused = role(&url, &file).session().await.expect_err("no session");
    assert_eq!(refused.code, MachineCode::Unauthenticated, "{refused}");
    assert!(refused.message.contains("InvalidIdentityToken") && refused.message.contains("r-1"), "{refused}");
    assert!(refused.message.contains("role/machines") && !refused.message.contains("hush"), "{refused}");
}

#[tokio::test]
async fn a_missing_token_names_its_file() {
    let (url, asked) = service(200, session("ASIA1")).await;
    let refused = role(&url, std::path::Path::new("/nowhere/token")).session().await.expect_err("no session");
    assert_eq!(refused.code, MachineCode::Unauthenticated);
    assert!(refused.message.contains("/nowhere/token"), "{refused}");
    assert!(asked.lock().is_empty());
}
