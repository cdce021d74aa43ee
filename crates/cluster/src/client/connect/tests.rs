use super::*;

use std::io::Write as _;
use std::path::PathBuf;

use prometheus::Registry;
use tempfile::NamedTempFile;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

fn kubeconfig(cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
         contexts:\n- name: c\n  context:\n    cluster: k\n    user: u\n    namespace: ns\n\
         clusters:\n- name: k\n  cluster:\n    {cluster}\n\
         users:\n- name: u\n  user:\n    {user}\n"
    )
}

async fn client(side: Side, path: PathBuf) -> Result<kube::Client, ConnectError> {
    let metrics = ClientMetrics::register(&Registry::new()).expect("a fresh registry");
    let access = ClusterAccess::Kubeconfig(path);
    connect(side, &access, &ClientSettings::new("test/1"), &metrics).await
}

async fn refusal(text: &str) -> String {
    let file = file(text);
    let refused = client(Side::Target, file.path().to_owned()).await.err().expect("refused").to_string();
    assert!(refused.contains("--target-kubeconfig"), "{refused}");
    assert!(refused.contains(&file.path().display().to_string()), "{refused}");
    refused
}

#[tokio::test]
async fn a_missing_file_is_named_with_its_flag() {
    let missing = client(Side::Control, "no/such/file".into()).await.err().expect("refused").to_string();
    assert!(missing.contains("no/such/file") && missing.contains("--control-kubeconfig"), "{missing}");
}

#[tokio::test]
async fn a_malformed_file_is_refused_without_showing_its_lines() {
    let refused = refusal("users:\n- name: u\n  user:\n    token: hunter2\n  broken: [hunter2\n").await;
    assert!(refused.contains("at line"), "{refused}");
    assert!(!refused.contains("hunter2"), "{refused}");
}

#[tokio::test]
async fn a_value_of_the_wrong_kind_is_refused_without_showing_it() {
    let refused = refusal("users: hunter2\n").await;
    assert!(!refused.contains("hunter2"), "{refused}");
}

#[tokio::test]
async fn a_file_without_current_context_is_refused() {
    let refused = refusal("apiVersion: v1\nkind: Config\n").await;
    assert!(refused.contains("current context"), "{refused}");
}

#[tokio::test]
async fn a_server_without_scheme_is_refused() {
    let refused = refusal(&kubeconfig("server: 127.0.0.1:6443", "token: t")).await;
    assert!(refused.contains("127.0.0.1:6443") && refused.contains("https://"), "{refused}");
}

#[tokio::test]
async fn a_proxy_is_refused() {
    let refused = refusal(&kubeconfig("{server: 'https://k', proxy-url: 'http://p'}", "token: t")).await;
    assert!(refused.contains("proxy-url"), "{refused}");
}

#[tokio::test]
async fn a_missing_token_file_is_named() {
    let refused = refusal(&kubeconfig("server: http://k", "tokenFile: /no/such/token")).await;
    assert!(refused.contains("/no/such/token"), "{refused}");
}

#[tokio::test]
async fn a_certificate_authority_that_is_none_is_refused() {
    let cluster = "{server: 'https://k', certificate-authority-data: aGVsbG8K}";
    let refused = refusal(&kubeconfig(cluster, "token: t")).await;
    assert!(refused.contains("certificate authority"), "{refused}");
}

#[tokio::test]
async fn a_credential_plugin_that_fails_is_reported_without_its_output() {
    let user = "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, \
                args: ['-c', 'echo hunter2; exit 3'], interactiveMode: Never}";
    let refused = refusal(&kubeconfig("server: http://k", user)).await;
    assert!(refused.contains("plugin") && refused.contains('3'), "{refused}");
    assert!(!refused.contains("hunter2"), "{refused}");
}

#[tokio::test]
async fn requests_carry_the_credentials_and_the_user_agent_and_share_a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.expect("a connection");
        let mut seen = String::new();
        for _ in 0..2 {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(connection.read_u8().await.expect("a byte"));
            }
            seen.push_str(&String::from_utf8_lossy(&request));
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
            connection.write_all(answer).await.expect("written");
        }
        seen
    });
    let file = file(&kubeconfig(&format!("server: http://{address}"), "token: hunter2"));
    let client = client(Side::Target, file.path().to_owned()).await.expect("a client");
    assert_eq!(client.default_namespace(), "ns");
    for _ in 0..2 {
        let request = http::Request::get("/healthz").body(Vec::new()).expect("a request");
        assert_eq!(client.request_text(request).await.expect("an answer"), "ok");
    }
    let seen = server.await.expect("no panic").to_lowercase();
    assert_eq!(seen.matches("get /healthz http/1.1").count(), 2, "{seen}");
    assert!(seen.contains("authorization: bearer hunter2"), "{seen}");
    assert!(seen.contains("user-agent: test/1"), "{seen}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_the_reason() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let file = file(&kubeconfig(&format!("server: http://{address}"), "token: hunter2"));
    let client = client(Side::Target, file.path().to_owned()).await.expect("a client");
    let request = http::Request::get("/healthz").body(Vec::new()).expect("a request");
    let error = client.request_text(request).await.expect_err("nobody there").to_string().to_lowercase();
    assert!(error.contains(&address.to_string()) && error.contains("connection refused"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}
