//! What is no AdmissionReview is answered, and the webhook goes on.

use reqwest::{Certificate, Client};

use crate::house::house;
use crate::runtime::run;

#[test]
fn garbage_posted_to_the_webhook_is_refused_with_what_was_expected() {
    run(async {
        let house = house().await;
        let authority = Certificate::from_pem(house.testbed.ca_pem().as_bytes()).unwrap();
        let client = Client::builder().no_proxy().tls_certs_only([authority]).build().unwrap();
        for path in ["mutate", "validate"] {
            let url = format!("https://127.0.0.1:{}/{path}", house.webhook.port);
            for (body, status) in [
                (&b"garbage"[..], 400),
                (b"", 400),
                (b"{}", 400),
                (br#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":7}"#, 400),
                (b"\xff\x00\xff", 400),
            ] {
                let post = client.post(&url).header("content-type", "application/json").body(body.to_vec());
                let answer = post.send().await.unwrap();
                let (code, text) = (answer.status().as_u16(), answer.text().await.unwrap());
                assert_eq!(code, status, "{path} {text}");
                assert!(!text.is_empty());
            }
        }
        // Refused by its announced length: whether the answer or the end of the connection comes first is up to the network.
        let url = format!("https://127.0.0.1:{}/validate", house.webhook.port);
        let large = client.post(&url).header("content-type", "application/json").body(vec![b'x'; 5 << 20]);
        if let Ok(answer) = large.send().await {
            assert_eq!(answer.status().as_u16(), 413);
        }
        house.secrets.log_must_be_clean(house.webhook.process.log());
        // It still answers the API server.
        let file = millwright_testbed::root().join("config/samples/invalid/machineclass.yaml");
        let said = house.kubectl(&["create", "--dry-run=server", "-f", &file.display().to_string()]).await;
        assert!(said.stderr.contains("providerSpec"), "{}", said.stderr);
    });
}
