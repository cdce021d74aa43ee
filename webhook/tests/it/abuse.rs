//! Peers that want to cost more than they may: slow, silent, endless, or many at once. Each is ended, and meanwhile
//! others are answered.

use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::certificates::{CertificateDir, Pair};
use crate::client::{ask_until, config, connect, connect_with, page_until, post, read_reply};
use crate::fixture::{PATIENCE, Running, class, create, start};

/// A webhook, what trusts it, and its certificate's folder.
async fn webhook(flags: &[&str]) -> (Running, Pair) {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), flags).await;
    (running, pair)
}

async fn http2(running: &Running, pair: &Pair) -> TlsStream<TcpStream> {
    let mut offering = config(pair.roots(), rustls::ALL_VERSIONS);
    offering.alpn_protocols = vec![b"h2".to_vec()];
    connect_with(running.tls, offering).await.unwrap()
}

/// Whether the webhook closes, whatever it says before.
async fn is_closed(stream: &mut TlsStream<TcpStream>) -> bool {
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut Vec::new())).await.is_ok()
}

async fn still_answers(running: &Running, pair: &Pair) {
    let answer = ask_until(running.tls, pair.roots(), "/validate", &create("others", &class())).await;
    assert_eq!(answer["response"], json!({"uid": "others", "allowed": true}));
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `POST /validate`, in HPACK without compression.
fn head() -> Vec<u8> {
    let mut head = vec![0x83, 0x87, 0x04, 9];
    head.extend(b"/validate");
    head.extend([0x01, 9]);
    head.extend(b"localhost");
    head
}

#[tokio::test]
async fn a_connection_that_does_nothing_is_closed_in_both_protocols() {
    let (running, pair) = webhook(&["--idle-timeout=200ms"]).await;
    let mut silent = [connect(running.tls, pair.roots()).await.unwrap(), http2(&running, &pair).await];
    for stream in &mut silent {
        assert!(is_closed(stream).await);
    }
    // After a request that was answered, too: what is read ends with the connection.
    let review = create("u", &class()).to_string();
    let request = post("/validate", &review).replace("Connection: close\r\n", "");
    let kept = async {
        loop {
            let Ok(mut stream) = connect(running.tls, pair.roots()).await else { continue };
            if stream.write_all(request.as_bytes()).await.is_ok() && read_reply(&mut stream).await.0 == 200 {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, kept).await.unwrap();
    // A half of what every connection of HTTP/2 begins with.
    let mut stream = http2(&running, &pair).await;
    stream.write_all(&PREFACE[..10]).await.unwrap();
    assert!(is_closed(&mut stream).await);
    running.end().await;
}

#[tokio::test]
async fn a_head_that_comes_byte_by_byte_is_not_waited_for() {
    let (running, pair) = webhook(&["--idle-timeout=300ms"]).await;
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    let dripping = async {
        for byte in
            b"POST /validate HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".iter().chain(std::iter::repeat(&b'x'))
        {
            if stream.write_all(&[*byte]).await.is_err() || stream.flush().await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, dripping).await.unwrap();
    still_answers(&running, &pair).await;
    running.end().await;
}

#[tokio::test]
async fn a_body_that_comes_byte_by_byte_is_refused_in_time() {
    let (running, pair) = webhook(&["--request-timeout=300ms"]).await;
    let stream = connect(running.tls, pair.roots()).await.unwrap();
    let (mut from, mut to) = tokio::io::split(stream);
    let head = "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 100000\r\nConnection: close\r\n\r\n";
    to.write_all(head.as_bytes()).await.unwrap();
    let dripping = tokio::spawn(async move {
        while to.write_all(b" ").await.is_ok() && to.flush().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let (status, body) = read_reply(&mut from).await;
    assert_eq!(status, 408, "{body}");
    tokio::time::timeout(PATIENCE, dripping).await.unwrap().unwrap();
    running.end().await;
}

#[tokio::test]
async fn whoever_never_reads_the_answers_loses_the_connection() {
    let (running, pair) = webhook(&["--request-timeout=500ms"]).await;
    let mut stream = connect(running.tls, pair.roots()).await.unwrap();
    let mut object = class();
    object["provider"] = json!("nobody");
    object["providerSpec"] = json!({"size": "x".repeat(2000)});
    let request = post("/validate", &create(&"u".repeat(10_000), &object).to_string())
        .replace("Connection: close\r\n", "");
    let asking = async { while stream.write_all(request.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(PATIENCE, asking).await.unwrap();
    page_until(running.plain, "/metrics", |_, body| body.contains("millwright_webhook_connections 0")).await;
    still_answers(&running, &pair).await;
    running.end().await;
}

#[tokio::test]
async fn whoever_opens_no_window_for_the_answers_loses_the_connection() {
    let (running, pair) = webhook(&["--idle-timeout=300ms", "--request-timeout=300ms"]).await;
    let mut stream = http2(&running, &pair).await;
    // In one piece: nothing may come between, or the webhook closes for that. First SETTINGS_INITIAL_WINDOW_SIZE = 0: no byte of an
    // answer may be sent.
    let mut asked = [PREFACE, &frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0])].concat();
    for stream_id in 0..20 {
        asked.extend(frame(HEADERS, END_HEADERS | END_STREAM, 2 * stream_id + 1, &head()));
    }
    stream.write_all(&asked).await.unwrap();
    assert!(is_closed(&mut stream).await);
    still_answers(&running, &pair).await;
    running.end().await;
}

#[tokio::test]
async fn half_open_connections_give_their_places_to_whoever_wants_to_ask() {
    let (running, pair) =
        webhook(&["--max-connections=4", "--idle-timeout=10m", "--handshake-timeout=10m"]).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push((Some(connect(running.tls, pair.roots()).await.unwrap()), None));
        held.push((None, Some(TcpStream::connect(running.tls).await.unwrap())));
    }
    page_until(running.plain, "/metrics", |_, body| body.contains("millwright_webhook_connections 4")).await;
    let review = create("wants in", &class());
    let answer = ask_until(running.tls, pair.roots(), "/validate", &review).await;
    assert_eq!(answer["response"]["uid"], "wants in");
    drop(held);
    running.end().await;
}

#[tokio::test]
async fn streams_beyond_the_limit_are_refused_and_the_others_answered() {
    let (running, pair) = webhook(&["--request-timeout=60s"]).await;
    let stream = http2(&running, &pair).await;
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let asked = (0..300).map(|number| {
        let mut sender = sender.clone();
        async move {
            let uid = format!("u-{number}");
            let request = axum::http::Request::post("https://localhost/validate")
                .header("content-type", "application/json")
                .body(Full::<Bytes>::from(create(&uid, &class()).to_string()))
                .unwrap();
            // A client that keeps to the limit waits for its turn.
            let body = sender.send_request(request).await.unwrap().into_body().collect().await.unwrap();
            let answer: Value = serde_json::from_slice(&body.to_bytes()).unwrap();
            assert_eq!(answer["response"], json!({"uid": uid, "allowed": true}));
        }
    });
    tokio::time::timeout(PATIENCE, futures::future::join_all(asked)).await.unwrap();
    drop(sender);
    tokio::time::timeout(PATIENCE, connection).await.unwrap().unwrap().unwrap();

    // One that does not keep to it is told so; 200 open requests whose bodies never come.
    let mut stream = http2(&running, &pair).await;
    stream.write_all(PREFACE).await.unwrap();
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
    for number in 0..200 {
        let opened = stream.write_all(&frame(HEADERS, END_HEADERS, 2 * number + 1, &head())).await;
        if opened.is_err() {
            break;
        }
    }
    let refused = async {
        let mut told = Vec::new();
        // RST_STREAM with REFUSED_STREAM, or the end of the connection.
        let reset = [0, 0, 4, RST_STREAM, 0];
        while !told.windows(reset.len()).any(|bytes| bytes == reset) {
            let mut some = [0; 4096];
            match stream.read(&mut some).await {
                Ok(0) | Err(_) => return,
                Ok(count) => told.extend_from_slice(&some[..count]),
            }
        }
    };
    tokio::time::timeout(PATIENCE, refused).await.unwrap();
    still_answers(&running, &pair).await;
    running.end().await;
}

#[tokio::test]
async fn a_peer_that_opens_and_resets_streams_without_end_is_cut_off() {
    let (running, pair) = webhook(&[]).await;
    let mut stream = http2(&running, &pair).await;
    stream.write_all(PREFACE).await.unwrap();
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
    let flood = async {
        let mut id = 1;
        loop {
            let mut frames = Vec::new();
            for _ in 0..100 {
                frames.extend(frame(HEADERS, END_HEADERS, id, &head()));
                frames.extend(frame(RST_STREAM, 0, id, &8_u32.to_be_bytes()));
                id += 2;
            }
            if stream.write_all(&frames).await.is_err() || stream.flush().await.is_err() {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, flood).await.unwrap();
    still_answers(&running, &pair).await;
    running.end().await;
}

#[tokio::test]
async fn heads_without_end_are_cut_off() {
    let (running, pair) = webhook(&[]).await;
    // HTTP/2: CONTINUATION after CONTINUATION, none of them the last.
    let mut stream = http2(&running, &pair).await;
    stream.write_all(PREFACE).await.unwrap();
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
    stream.write_all(&frame(HEADERS, 0, 1, &head())).await.unwrap();
    let mut header = vec![0x00, 3];
    header.extend(b"x-y");
    header.push(100);
    header.extend([b'z'; 100]);
    let flood = async {
        let next = frame(CONTINUATION, 0, 1, &header.repeat(10));
        while stream.write_all(&next).await.is_ok() && stream.flush().await.is_ok() {}
    };
    tokio::time::timeout(PATIENCE, flood).await.unwrap();

    // HTTP/1.1: many headers, and one that never ends.
    for endless in ["X-Many: 1\r\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"] {
        let stream = connect(running.tls, pair.roots()).await.unwrap();
        let (mut from, mut to) = tokio::io::split(stream);
        let flood = tokio::spawn(async move {
            let mut sent = to.write_all(b"POST /validate HTTP/1.1\r\nHost: localhost\r\nX-One: ").await;
            while sent.is_ok() {
                sent = to.write_all(endless.repeat(100).as_bytes()).await;
            }
        });
        let (status, _) = read_reply(&mut from).await;
        // The refusal may be lost with the connection that ends under the flood.
        assert!([0, 400, 431].contains(&status), "{status}");
        drop(from);
        tokio::time::timeout(PATIENCE, flood).await.unwrap().unwrap();
    }
    still_answers(&running, &pair).await;
    running.end().await;
}
