//! Real connections: what is spoken, what is bounded, and how it ends.

use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::certificates::{CertificateDir, Pair};
use crate::client::{ask, ask_until, config, connect, connect_with, page, page_until, post, read_reply};
use crate::fixture::{PATIENCE, bad_class, class, create, start};

#[tokio::test]
async fn a_review_over_tls_is_answered_in_both_versions() {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &[]).await;
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut stream = connect_with(running.tls, config(pair.roots(), &[version])).await.unwrap();
        stream.write_all(post("/validate", &create("u", &bad_class()).to_string()).as_bytes()).await.unwrap();
        let (status, body) = read_reply(&mut stream).await;
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &answer["response"]["status"]["code"]), (200, &json!(422)));
    }
    running.end().await;
}

#[tokio::test]
async fn old_tls_is_refused_when_only_the_newest_is_wanted() {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &["--tls-min-version=1.3"]).await;
    assert!(connect_with(running.tls, config(pair.roots(), &[&rustls::version::TLS12])).await.is_err());
    assert!(connect_with(running.tls, config(pair.roots(), &[&rustls::version::TLS13])).await.is_ok());
    running.end().await;
}

#[tokio::test]
async fn http_2_is_spoken_with_whoever_offers_it() {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &[]).await;
    let mut offering = config(pair.roots(), rustls::ALL_VERSIONS);
    offering.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = connect_with(running.tls, offering).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));

    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    for uid in ["one", "two"] {
        let request = axum::http::Request::post("https://localhost/validate")
            .header("content-type", "application/json")
            .body(Full::<axum::body::Bytes>::from(create(uid, &class()).to_string()))
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer["response"], json!({"uid": uid, "allowed": true}));
    }
    drop(sender);
    tokio::time::timeout(PATIENCE, connection).await.unwrap().unwrap().unwrap();
    running.end().await;
}

#[tokio::test]
async fn a_peer_that_never_finishes_its_handshake_is_dropped_and_holds_up_nobody() {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &["--handshake-timeout=200ms"]).await;
    let mut silent = TcpStream::connect(running.tls).await.unwrap();
    let answer = ask(running.tls, pair.roots(), "/validate", &create("u", &class())).await;
    assert_eq!(answer["response"]["allowed"], true);

    let mut rest = Vec::new();
    let closed = tokio::time::timeout(PATIENCE, silent.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "the connection was still open");
    let counted = r#"millwright_webhook_tls_handshake_failures_total{reason="timed_out"} 1"#;
    page_until(running.plain, "/metrics", |_, body| body.contains(counted)).await;
    running.end().await;
}

#[tokio::test]
async fn garbage_on_the_tls_port_harms_nobody() {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &[]).await;
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 100], &[0xff; 4096], b"\x16\x03\x01\xff\xff"] {
        let mut stream = TcpStream::connect(running.tls).await.unwrap();
        stream.write_all(garbage).await.unwrap();
        stream.shutdown().await.unwrap();
        // What comes back does not matter; that something ends the connection does.
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut Vec::new())).await.unwrap();
    }
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    stream.write_all(b"\x00\x01 nonsense\r\n\r\n").await.unwrap();
    read_reply(&mut stream).await;
    let answer = ask(running.tls, pair.roots(), "/validate", &create("still here", &class())).await;
    assert_eq!(answer["response"]["uid"], "still here");
    running.end().await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_over_tls_too() {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &["--max-body-bytes=1000"]).await;
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    let head = "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 10000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let (status, body) = read_reply(&mut stream).await;
    assert_eq!(status, 413, "{body}");
    running.end().await;
}

#[tokio::test]
async fn a_connection_over_the_limit_waits_until_another_has_its_answer() {
    let pair = Pair::valid();
    let running =
        start(&CertificateDir::with(&pair), &["--max-connections=1", "--request-timeout=10m"]).await;
    let mut first = connect(running.tls, pair.roots()).await.unwrap();
    let body = create("first", &class()).to_string();
    begin(&mut first, body.len()).await;
    let second = tokio::spawn({
        let (address, roots) = (running.tls, pair.roots());
        async move { ask_until(address, roots, "/validate", &create("second", &class())).await }
    });
    // Time enough for a second connection to be answered if there were room for it.
    for _ in 0..50 {
        page(running.plain, "/healthz").await;
    }
    assert!(!second.is_finished());
    first.write_all(body.as_bytes()).await.unwrap();
    assert_eq!(read_reply(&mut first).await.0, 200);
    let answer = tokio::time::timeout(PATIENCE, second).await.unwrap().unwrap();
    assert_eq!(answer["response"]["uid"], "second");
    running.end().await;
}

#[tokio::test]
async fn a_request_under_way_is_answered_when_the_webhook_ends() {
    let pair = Pair::valid();
    let running =
        start(&CertificateDir::with(&pair), &["--request-timeout=60s", "--shutdown-grace=60s"]).await;
    let body = create("last", &class()).to_string();
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    begin(&mut stream, body.len()).await;

    running.shutdown.cancel();
    page_until(running.plain, "/readyz", |status, body| status == 503 && body.contains("shutdown: ")).await;
    assert_eq!(page(running.plain, "/healthz").await.0, 200);
    stream.write_all(body.as_bytes()).await.unwrap();
    let (status, body) = read_reply(&mut stream).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"uid\":\"last\""), "{body}");
    let address = running.tls;
    running.end().await;
    assert!(TcpStream::connect(address).await.is_err(), "the port is still open");
}

#[tokio::test]
async fn a_request_that_never_ends_is_cut_off_after_the_grace() {
    let pair = Pair::valid();
    let running =
        start(&CertificateDir::with(&pair), &["--request-timeout=10m", "--shutdown-grace=50ms"]).await;
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    begin(&mut stream, 1_000).await;
    running.end().await;
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut Vec::new())).await.unwrap();
}

/// Sends the head of a review and waits until the webhook asks for its body: from then on it is under way.
async fn begin(stream: &mut TlsStream<TcpStream>, length: usize) {
    let head = format!(
        "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut asked = [0; 25];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut asked)).await.unwrap().unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
}
