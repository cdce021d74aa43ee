//! What deploy/two-cluster/target gives the controller in the cluster of the nodes: a token that may do what is needed there, and no more.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::build::{Installation, Place, installations};
use crate::house::{House, house};
use crate::patience::until;
use crate::runtime::run;

const NAMESPACE: &str = "target-side";
const PREFIX: &str = "far-";

fn named(name: &str) -> Installation {
    installations().into_iter().find(|one| one.name == name).unwrap()
}

async fn token(house: &House) -> String {
    let place = Place { namespace: Some(NAMESPACE), prefix: Some(PREFIX) };
    let text = named("deploy/two-cluster/target").text(house, place).await;
    let file = house.folder("two-clusters").join("target.yaml");
    std::fs::write(&file, text).unwrap();
    house.kubectl_must(&["apply", "-f", &file.display().to_string()]).await;
    let secret = format!("{PREFIX}millwright-controller-token");
    let get = ["get", "secret", &secret, "--namespace", NAMESPACE, "-o", "json"];
    until("the token is written into its Secret", async || {
        let secret: Value = serde_json::from_str(&house.kubectl(&get).await.stdout).ok()?;
        let token = STANDARD.decode(secret["data"]["token"].as_str()?).ok()?;
        String::from_utf8(token).ok()
    })
    .await
}

#[test]
fn the_token_of_the_target_side_may_work_with_nodes_and_bootstrap_tokens_alone() {
    run(async {
        let house = house().await;
        let token = token(house).await;
        let account = format!("system:serviceaccount:{NAMESPACE}:{PREFIX}millwright-controller");
        let as_it = ["--token", &token, "--server", house.testbed.server_url(), "--kubeconfig", "/dev/null"];
        let authority = house.folder("two-clusters").join("ca.crt");
        std::fs::write(&authority, house.testbed.ca_pem()).unwrap();
        let authority = format!("--certificate-authority={}", authority.display());
        let who = house.kubectl(&[&as_it[..], &[&authority, "auth", "whoami", "-o", "json"]].concat()).await;
        assert!(who.stdout.contains(&account), "{}{}", who.stdout, who.stderr);
        let can = async |question: &[&str]| {
            let ask = [&as_it[..], &[authority.as_str(), "auth", "can-i"], question].concat();
            house.kubectl(&ask).await.stdout.trim() == "yes"
        };
        for question in [
            &["list", "nodes"][..],
            &["patch", "nodes"],
            &["create", "pods", "--subresource=eviction", "--all-namespaces"],
            &["create", "secrets", "--namespace=kube-system"],
        ] {
            assert!(can(question).await, "it may not {question:?}");
        }
        for question in [
            &["get", "secrets", "--namespace=default"][..],
            &["get", "secrets", "--namespace", NAMESPACE],
            &["create", "pods", "--all-namespaces"],
            &["list", "machines.machine.sapcloud.io", "--all-namespaces"],
        ] {
            assert!(!can(question).await, "it may {question:?}");
        }
    });
}

#[test]
fn the_control_side_reads_the_target_from_a_file_and_has_no_rights_to_nodes() {
    run(async {
        let house = house().await;
        let objects = named("deploy/two-cluster/control").objects(house).await;
        let called = |kind: &str, name: &str| {
            let is = |one: &&Value| one["kind"] == kind && one["metadata"]["name"] == name;
            objects.iter().find(is).cloned()
        };
        let controller = called("Deployment", "millwright-controller").unwrap();
        let pod = &controller["spec"]["template"]["spec"];
        let args: Vec<&str> = pod["containers"][0]["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arg| arg.as_str().unwrap())
            .collect();
        assert!(args.contains(&"--control-kubeconfig=inClusterConfig"), "{args:?}");
        let file = args.iter().find_map(|arg| arg.strip_prefix("--target-kubeconfig=")).unwrap();
        let mount = &pod["containers"][0]["volumeMounts"][0];
        assert_eq!(file, format!("{}/kubeconfig", mount["mountPath"].as_str().unwrap()));
        assert!(called("ClusterRole", "millwright-nodes").is_none());
        assert!(called("ClusterRoleBinding", "millwright-nodes").is_none());
        assert!(!objects.iter().any(|one| one["metadata"]["namespace"] == "kube-system"));
    });
}
