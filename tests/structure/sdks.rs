//! The vendors' SDKs, which take minutes and gigabytes to build: who names them, and who never builds them.

use crate::reach::{Reach, Start};
use crate::workspace::{member, members, metadata};

/// The one crate of ours that may name crates that begin like this.
const OWNERS: &[(&str, &str)] = &[
    ("aws-", "millwright-provider-aws"),
    ("azure_", "millwright-provider-azure"),
    ("google-cloud", "millwright-provider-gcp"),
    ("openstack", "millwright-provider-openstack"),
];

/// Built without any SDK, whatever their features are by themselves.
const WITHOUT: &[&str] = &[
    "api",
    "decide",
    "admission",
    "bootstrap",
    "provider",
    "cloud-http",
    "cluster",
    "telemetry",
    "webhook",
    "kubectl",
    "testbed",
    "simcloud",
    "simkube",
    "provider-aws",
    "provider-azure",
    "provider-gcp",
    "provider-openstack",
    "provider-local",
    "tests",
];

fn sdks() -> Vec<&'static str> {
    let all = metadata().packages.iter().map(|package| package.name.as_str());
    let mut sdks: Vec<&str> =
        all.filter(|name| OWNERS.iter().any(|(start, _)| name.starts_with(start))).collect();
    sdks.sort_unstable();
    sdks.dedup();
    sdks
}

#[test]
fn an_sdk_is_named_only_by_the_crate_of_its_cloud() {
    let mut wrong = Vec::new();
    for package in members() {
        for dependency in &package.dependencies {
            let owner = OWNERS.iter().find(|(start, _)| dependency.name.starts_with(start));
            if let Some((_, owner)) = owner
                && package.name.as_str() != *owner
            {
                wrong.push(format!("{} names {}; only {owner} may", package.name, dependency.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_calls_no_cloud_builds_no_sdk() {
    let sdks = sdks();
    assert!(sdks.contains(&"aws-sdk-ec2"), "the walk must know the SDKs: {sdks:?}");
    let mut wrong = Vec::new();
    for name in WITHOUT {
        let package = member(&format!("millwright-{name}"));
        let reach = Reach::of(Start { package, features: &["default"] });
        wrong.extend(sdks.iter().filter_map(|sdk| {
            let way = reach.way_to(sdk)?;
            Some(format!("{name} must not reach {sdk}; it does by {}", way.join(" -> ")))
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_controller_has_every_cloud_by_default_and_builds_without_any() {
    let reach = |features| Reach::of(Start { package: member("millwright-controller"), features });
    let (all, none) = (reach(&["default"][..]), reach(&[][..]));
    for (_, cloud) in OWNERS {
        assert!(all.way_to(cloud).is_some(), "the controller must have {cloud}");
        assert!(none.way_to(cloud).is_none(), "without features the controller must not have {cloud}");
    }
    assert!(all.way_to("aws-sdk-ec2").is_some());
    for sdk in sdks() {
        assert_eq!(none.way_to(sdk), None, "without features the controller must not reach {sdk}");
    }
}

#[test]
fn the_tests_of_the_house_run_a_controller_without_sdks() {
    let tests = member("millwright-tests");
    let controller =
        tests.dependencies.iter().find(|dependency| dependency.name == "millwright-controller").unwrap();
    assert!(!controller.uses_default_features, "millwright-tests must not build the clouds' SDKs");
    assert!(controller.features.is_empty(), "{:?}", controller.features);
}
