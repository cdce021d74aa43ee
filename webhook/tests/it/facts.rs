//! A webhook that wants to know other objects and cannot reach an API server: it serves all the same.

use std::net::TcpListener;

use crate::certificates::{CertificateDir, Pair};
use crate::client::{ask, page, page_until};
use crate::fixture::{class, create, start};

/// An API server that takes connections and never says a word.
fn kubeconfig(folder: &tempfile::TempDir, server: &str) -> String {
    let path = folder.path().join("kubeconfig");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
         clusters: [{{name: c, cluster: {{server: 'http://{server}'}}}}]\nusers: [{{name: u, user: {{}}}}]\n"
    );
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

async fn serves_without_knowing(flags: &[&str]) {
    let pair = Pair::valid();
    let running = start(&CertificateDir::with(&pair), &[&["--facts=watched"], flags].concat()).await;
    assert_eq!(page(running.plain, "/readyz").await.0, 200, "nobody waits for facts");
    let answer = ask(running.tls, pair.roots(), "/validate", &create("u", &class())).await;
    assert_eq!(answer["response"]["allowed"], true, "{answer}");
    let metrics = page_until(running.plain, "/metrics", |_, body| body.contains("facts_known")).await;
    assert!(metrics.contains("millwright_webhook_facts_known{kind=\"machines\"} 0"), "{metrics}");
    assert!(!metrics.contains("kind=\"secrets\""), "they are not read: {metrics}");
    running.end().await;
}

#[tokio::test]
async fn it_serves_beside_an_api_server_that_never_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = kubeconfig(&folder, &silent.local_addr().unwrap().to_string());
    serves_without_knowing(&[&format!("--kubeconfig={file}")]).await;
}

#[tokio::test]
async fn it_serves_without_a_kubeconfig_that_can_be_read() {
    serves_without_knowing(&["--kubeconfig=/nowhere/kubeconfig"]).await;
}

#[tokio::test]
async fn without_the_flag_nothing_connects_and_nothing_is_said_of_facts() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = kubeconfig(&folder, &server.local_addr().unwrap().to_string());
    let pair = Pair::valid();
    let flags = [format!("--kubeconfig={file}"), "--facts=none".to_owned()];
    let running = start(&CertificateDir::with(&pair), &flags.each_ref().map(String::as_str)).await;
    ask(running.tls, pair.roots(), "/validate", &create("u", &class())).await;
    let (_, metrics) = page(running.plain, "/metrics").await;
    assert!(!metrics.contains("facts") && !metrics.contains("rest_client"), "{metrics}");
    assert!(server.accept().is_err(), "somebody connected");
    running.end().await;
}

#[test]
fn the_last_namespace_that_is_given_counts() {
    let flags = ["x", "--tls-cert-file=c", "--tls-key-file=k", "--namespace=one", "--namespace=*"];
    let args = <millwright_webhook::Args as clap::Parser>::parse_from(flags);
    assert_eq!(args.neighbours.namespace, "*");
}
