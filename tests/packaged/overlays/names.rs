//! Another namespace, a name prefix: whatever is called otherwise, everything still finds what it names.

use serde_json::Value;

use super::build::{Place, installations, objects};
use super::references::Objects;
use crate::house::quiet_house;
use crate::runtime::run;

/// Keep their name: kinds of API objects, and the namespace, which is named by itself.
const UNTOUCHED: [&str; 2] = ["CustomResourceDefinition", "Namespace"];

#[test]
fn everything_that_is_named_is_there() {
    run(async {
        let house = quiet_house().await;
        for installation in installations().iter().filter(|installation| installation.is_whole()) {
            let objects = Objects::new(installation.objects(house).await);
            assert_eq!(objects.dangling(), [""; 0], "{}", installation.name);
        }
    });
}

#[test]
fn a_prefix_and_another_namespace_reach_every_reference() {
    run(async {
        let house = quiet_house().await;
        let place = Place { namespace: Some("machines"), prefix: Some("blue-") };
        for installation in installations().iter().filter(|installation| installation.is_whole()) {
            let text = installation.text(house, place).await;
            let all = objects(&text);
            for object in &all {
                let (kind, name) = (object["kind"].as_str().unwrap(), &object["metadata"]["name"]);
                let name = name.as_str().unwrap();
                let is_prefixed = name.starts_with("blue-");
                assert_ne!(is_prefixed, UNTOUCHED.contains(&kind), "{}: {kind} {name}", installation.name);
                let namespace = object["metadata"]["namespace"].as_str().unwrap_or("machines");
                let is_token =
                    object["metadata"]["labels"]["app.kubernetes.io/component"] == "bootstrap-tokens";
                let wanted = if is_token { "kube-system" } else { "machines" };
                assert_eq!(namespace, wanted, "{}: {kind} {name}", installation.name);
            }
            // Nothing speaks of the old namespace in passing.
            assert!(!text.contains("millwright-system"), "{}", installation.name);
            assert_eq!(Objects::new(all).dangling(), [""; 0], "{}", installation.name);
        }
    });
}

#[test]
fn gardeners_side_finds_the_deployment_and_both_ports_by_their_names() {
    run(async {
        let house = quiet_house().await;
        let all = installations();
        let installation = all.iter().find(|one| one.name == "config/components/gardener-names").unwrap();
        let objects = Objects::new(installation.objects(house).await);
        let named = |kind: &'static str| {
            let named =
                objects.of(kind).filter(|one| one["metadata"]["name"] == "machine-controller-manager");
            named.cloned().collect::<Vec<Value>>()
        };
        let deployments = named("Deployment");
        assert_eq!(deployments.len(), 1);
        assert_eq!(deployments[0]["metadata"]["labels"]["role"], "machine-controller-manager");
        let services = named("Service");
        let ports: Vec<_> =
            services[0]["spec"]["ports"].as_array().unwrap().iter().map(|p| &p["port"]).collect();
        assert_eq!(ports, [10258, 10259]);
        // The namespace is somebody else's: it is neither made nor, one day, deleted.
        assert_eq!(objects.of("Namespace").count(), 0);
    });
}

#[test]
fn beside_another_controller_there_is_no_controller_of_ours() {
    run(async {
        let house = quiet_house().await;
        for name in ["config/components/webhook-only", "deploy/beside-mcm"] {
            let all = installations();
            let installation = all.iter().find(|one| one.name == name).unwrap();
            let objects = Objects::new(installation.objects(house).await);
            let names = |kind: &'static str| -> Vec<String> {
                objects.of(kind).map(|one| one["metadata"]["name"].as_str().unwrap().to_owned()).collect()
            };
            assert_eq!(names("Deployment"), ["millwright-webhook"], "{name}");
            assert_eq!(names("ServiceAccount"), ["millwright-webhook"], "{name}");
            assert_eq!(names("RoleBinding"), ["millwright-webhook"], "{name}");
            assert_eq!(names("ClusterRoleBinding"), [""; 0], "{name}");
            assert_eq!(names("Namespace"), [""; 0], "{name}: it is the other controller's");
            assert_eq!(names("CustomResourceDefinition").len(), 4, "{name}");
        }
    });
}
