//! Certificates that come late, change, expire, or do not fit their key.

use crate::certificates::{CertificateDir, Pair};
use crate::client::{ask, connect, page, page_until, shown};
use crate::fixture::{PATIENCE, class, create, start};

const OFTEN: &str = "--tls-reload-interval=5ms";

async fn shown_until(address: std::net::SocketAddr, pair: &Pair) {
    let looking = async {
        loop {
            // Another certificate would not be trusted, so a handshake that succeeds is the answer.
            if let Ok(stream) = connect(address, pair.roots()).await {
                assert_eq!(shown(&stream), pair.der);
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap();
}

#[tokio::test]
async fn a_new_pair_is_served_without_a_restart() {
    let (old, new) = (Pair::valid(), Pair::valid());
    let dir = CertificateDir::with(&old);
    let running = start(&dir, &[OFTEN]).await;
    let before = connect(running.tls, old.roots()).await.unwrap();
    assert_eq!(shown(&before), old.der);
    assert_eq!(page(running.plain, "/readyz").await, (200, "ok\n".to_owned()));

    dir.write(&new.certificate, &new.key);
    shown_until(running.tls, &new).await;
    running.end().await;
}

#[tokio::test]
async fn a_pair_that_comes_by_a_swap_of_links_is_seen() {
    let (old, new) = (Pair::valid(), Pair::valid());
    let mount = tempfile::TempDir::new().unwrap();
    // As the kubelet lays out a Secret: tls.crt -> ..data/tls.crt, ..data -> ..v1
    for (version, pair) in [("..v1", &old), ("..v2", &new)] {
        let dir = mount.path().join(version);
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("tls.crt"), &pair.certificate).unwrap();
        std::fs::write(dir.join("tls.key"), &pair.key).unwrap();
    }
    let link =
        |target: &str, name: &str| std::os::unix::fs::symlink(target, mount.path().join(name)).unwrap();
    link("..v1", "..data");
    link("..data/tls.crt", "tls.crt");
    link("..data/tls.key", "tls.key");

    let flag = |name: &str, file: &str| format!("--{name}={}", mount.path().join(file).display());
    let args = <millwright_webhook::Args as clap::Parser>::parse_from([
        "x",
        "--listen=127.0.0.1:0",
        "--metrics-listen=127.0.0.1:0",
        OFTEN,
        &flag("tls-cert-file", "tls.crt"),
        &flag("tls-private-key-file", "tls.key"),
    ]);
    let webhook = millwright_webhook::Webhook::prepare(&args, crate::sky_rules::providers()).await.unwrap();
    let address = webhook.tls_address().unwrap();
    let shutdown = tokio_util::sync::CancellationToken::new();
    let serving = tokio::spawn(webhook.serve(shutdown.clone()));
    shown_until(address, &old).await;

    link("..v2", "..data_tmp");
    std::fs::rename(mount.path().join("..data_tmp"), mount.path().join("..data")).unwrap();
    shown_until(address, &new).await;
    shutdown.cancel();
    tokio::time::timeout(PATIENCE, serving).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_missing_certificate_is_waited_for() {
    let dir = CertificateDir::empty();
    let running = start(&dir, &[OFTEN]).await;
    let (status, body) = page(running.plain, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.starts_with("certificate: --tls-cert-file ") && body.contains("tls.crt"), "{body}");
    assert_eq!(page(running.plain, "/healthz").await.0, 200, "a restart would not bring the certificate");
    let pair = Pair::valid();
    assert!(connect(running.tls, pair.roots()).await.is_err());

    dir.write(&pair.certificate, &pair.key);
    page_until(running.plain, "/readyz", |status, _| status == 200).await;
    let answer = ask(running.tls, pair.roots(), "/validate", &create("u", &class())).await;
    assert_eq!(answer["response"]["allowed"], true);
    running.end().await;
}

#[tokio::test]
async fn a_pair_that_does_not_fit_names_both_files_and_never_replaces_one_that_does() {
    let (good, other) = (Pair::valid(), Pair::valid());
    let dir = CertificateDir::empty();
    dir.write(&good.certificate, &other.key);
    let running = start(&dir, &[OFTEN]).await;
    let (status, body) = page(running.plain, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains("does not belong to the certificate"), "{body}");
    assert!(body.contains("tls.crt") && body.contains("tls.key"), "{body}");

    dir.write(&good.certificate, &good.key);
    shown_until(running.tls, &good).await;
    let failures = failures(running.plain).await;
    for (certificate, key) in [
        (other.certificate.as_str(), good.key.as_str()),
        ("no PEM at all", good.key.as_str()),
        ("", ""),
        (good.certificate.as_str(), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
    ] {
        dir.write(certificate, key);
        let seen = self::failures(running.plain).await;
        failures_above(running.plain, seen + 1).await;
        assert_eq!(page(running.plain, "/readyz").await.0, 200, "what is served is still good");
        assert!(connect(running.tls, good.roots()).await.is_ok());
    }
    assert!(self::failures(running.plain).await > failures);
    dir.write(&other.certificate, &other.key);
    shown_until(running.tls, &other).await;
    running.end().await;
}

#[tokio::test]
async fn an_expired_certificate_makes_it_unready_and_never_replaces_a_valid_one() {
    let (valid, expired, early) = (Pair::valid(), Pair::expired(), Pair::not_valid_yet());
    let dir = CertificateDir::with(&expired);
    let running = start(&dir, &[OFTEN]).await;
    let (status, body) = page(running.plain, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains("expired at 2021-01-01T00:00:00Z"), "{body}");

    dir.write(&valid.certificate, &valid.key);
    shown_until(running.tls, &valid).await;
    page_until(running.plain, "/readyz", |status, _| status == 200).await;
    for bad in [&expired, &early] {
        dir.write(&bad.certificate, &bad.key);
        let seen = failures(running.plain).await;
        failures_above(running.plain, seen + 1).await;
        assert_eq!(page(running.plain, "/readyz").await.0, 200);
        assert!(connect(running.tls, valid.roots()).await.is_ok());
    }
    running.end().await;
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_yet_makes_it_unready() {
    let running = start(&CertificateDir::with(&Pair::not_valid_yet()), &[]).await;
    let (status, body) = page(running.plain, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains("not valid before 3000-01-01T00:00:00Z"), "{body}");
    let metrics = page(running.plain, "/metrics").await.1;
    // 3001-01-01
    assert!(
        metrics.contains("millwright_webhook_certificate_expiry_timestamp_seconds 32535216000"),
        "{metrics}"
    );
    running.end().await;
}

async fn failures(plain: std::net::SocketAddr) -> u64 {
    let metrics = page(plain, "/metrics").await.1;
    let name = "millwright_webhook_certificate_reload_failures_total ";
    metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap()
}

/// Two further failures: the second look surely saw both files as they are now.
async fn failures_above(plain: std::net::SocketAddr, count: u64) {
    let looking = async {
        while failures(plain).await <= count {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap();
}
