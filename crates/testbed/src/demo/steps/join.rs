//! Three machines: VMs that boot, read their user data, get a certificate for their bootstrap token and register as nodes.

use serde_json::Value;

use super::BORN;
use crate::{
    demo::{error::DemoError, eyes, stage::Stage},
    kubectl,
};

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    stage.show(&["apply", "-k", &stage.samples.pool.display().to_string()]).await?;
    eyes::until(stage, "three machines are Running, three nodes Ready", |sight| sight.is_settled(BORN))
        .await?;
    stage.show(&["get", "machinedeployments,machines,nodes"]).await?;

    let requests =
        kubectl::json(&stage.testbed, &["get", "certificatesigningrequests", "-o", "json"]).await?;
    let issued =
        requests["items"].as_array().into_iter().flatten().filter(|request| is_issued(request)).count();
    stage.show(&["get", "certificatesigningrequests"]).await?;
    if issued < BORN {
        return Err(DemoError::Wrong {
            what: "each node should have its certificate by a bootstrap token of its own".to_owned(),
            details: format!("{issued} certificates were issued to bootstrap tokens, not {BORN}"),
        });
    }
    Ok(())
}

/// Whether somebody who logged in with a bootstrap token got a kubelet's certificate.
fn is_issued(request: &Value) -> bool {
    let spec = &request["spec"];
    spec["username"].as_str().is_some_and(|user| user.starts_with("system:bootstrap:"))
        && spec["signerName"] == "kubernetes.io/kube-apiserver-client-kubelet"
        && request["status"]["certificate"].is_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_issued_certificate_of_a_bootstrap_token_counts() {
        let request = |user: &str, status: Value| {
            let spec =
                json!({ "username": user, "signerName": "kubernetes.io/kube-apiserver-client-kubelet" });
            json!({ "spec": spec, "status": status })
        };
        assert!(is_issued(&request("system:bootstrap:abc", json!({ "certificate": "LS0t" }))));
        assert!(!is_issued(&request("system:bootstrap:abc", json!({}))));
        assert!(!is_issued(&request("admin", json!({ "certificate": "LS0t" }))));
    }
}
