//! HTTP as clients may speak it, usual or not: each request is answered for itself.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::certificates::{CertificateDir, Pair};
use crate::client::{connect, post, read_reply};
use crate::fixture::{PATIENCE, class, create, start};

async fn exchange(request: &str) -> (u16, String) {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &[]).await;
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let reply = read_reply(&mut stream).await;
    drop(stream);
    running.end().await;
    reply
}

#[tokio::test]
async fn a_body_in_chunks_is_put_together() {
    let review = create("in chunks", &class()).to_string();
    let mut request = "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                       Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        .to_owned();
    for chunk in review.as_bytes().chunks(7) {
        request += &format!("{:x}\r\n{}\r\n", chunk.len(), std::str::from_utf8(chunk).unwrap());
    }
    request += "0\r\n\r\n";
    let (status, body) = exchange(&request).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""uid":"in chunks","allowed":true"#), "{body}");
}

#[tokio::test]
async fn requests_that_come_at_once_are_answered_in_their_order() {
    let keep =
        |uid| post("/validate", &create(uid, &class()).to_string()).replace("Connection: close\r\n", "");
    let pipeline =
        keep("first") + &keep("second") + &post("/validate", &create("third", &class()).to_string());
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &[]).await;
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    stream.write_all(pipeline.as_bytes()).await.unwrap();
    let mut replies = String::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut replies)).await.unwrap();
    let places: Vec<_> =
        ["first", "second", "third"].map(|uid| replies.find(&format!("\"uid\":\"{uid}\""))).into();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{replies}");
    running.end().await;
}

#[tokio::test]
async fn what_would_be_refused_is_refused_before_its_body_is_asked_for() {
    for (head, status) in [
        ("POST /validate HTTP/1.1\r\nContent-Type: text/yaml\r\nContent-Length: 10", 415),
        ("POST /validate HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100000000", 413),
        ("POST /elsewhere HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 10", 404),
        ("PUT /validate HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 10", 405),
    ] {
        let request =
            format!("{head}\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n");
        assert_eq!(exchange(&request).await.0, status, "{head}");
    }
}

#[tokio::test]
async fn a_body_of_two_lengths_is_refused() {
    for head in [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip",
        "Content-Length: -1",
    ] {
        let request = format!(
            "POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{head}\r\n\r\nnulls"
        );
        let pair = Pair::valid();
        let running = start(&CertificateDir::with(&pair), &["--request-timeout=500ms"]).await;
        let mut stream = connect(running.tls, pair.roots()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let (status, body) = read_reply(&mut stream).await;
        assert_eq!(status, 400, "{head}: {body}");
        running.end().await;
    }
}

#[tokio::test]
async fn a_body_in_another_encoding_is_no_review() {
    let request = post("/validate", "\u{1f}\u{8b}...").replace("Host:", "Content-Encoding: gzip\r\nHost:");
    assert_eq!(exchange(&request).await.0, 400);
}

#[tokio::test]
async fn an_answer_is_one_json_document_whatever_is_accepted() {
    let request = post("/mutate", &create("u", &class()).to_string())
        .replace("Host:", "Accept: text/html\r\nAccept-Encoding: br\r\nHost:");
    let (status, body) = exchange(&request).await;
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &answer["response"]["uid"]), (200, &json!("u")));
}
