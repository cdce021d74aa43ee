//! What the flags take, and what they mean.

use std::path::PathBuf;
use std::time::Duration;

use clap::{CommandFactory as _, Parser as _};
use millwright_api::IntOrPercent;
use millwright_cloud_http::{Endpoint, Endpoints};
use millwright_cluster::Workers;
use millwright_cluster::client::{ClusterAccess, RequestRate};
use millwright_cluster::orphans::{OrphanMode, OrphanSettings};
use millwright_controller::{Args, Config, Controller, Election, FlagMistakes, ServedProviders};
use millwright_decide::freeze::FreezeSettings;
use millwright_decide::lease::LeaseSettings;
use millwright_decide::machine::{DeletionWeight, MeltdownRule, MeltdownScope};
use millwright_decide::{
    AutoscalerAnnotations, Bounds, FailedReplacement, MachineSettings, MinReady, OvershootRule,
    RolloutSettings, TargetCluster,
};
use millwright_telemetry::{LogFilter, LogFormat};

use crate::providers::providers;

pub(crate) fn check(flags: &[&str]) -> Result<Config, FlagMistakes> {
    let args = Args::try_parse_from(["millwright-controller"].iter().chain(flags)).unwrap();
    args.check(&providers())
}

fn good(flags: &[&str]) -> Config {
    check(flags).unwrap_or_else(|error| panic!("{flags:?}: {error}"))
}

#[test]
fn the_defaults_are_those_of_machine_controller_manager() {
    let Config { listen, logs, cloud_endpoints, fleet } = good(&[]);
    assert_eq!(cloud_endpoints, Endpoints::default());
    assert_eq!(listen, "0.0.0.0:10258".parse().unwrap());
    assert_eq!((logs.format, logs.filter), (LogFormat::Text, LogFilter::default()));
    assert_eq!(fleet.namespace, "default");
    assert_eq!((fleet.control, fleet.target), (ClusterAccess::InCluster, Some(ClusterAccess::InCluster)));
    assert_eq!(fleet.settings, MachineSettings::default());
    assert_eq!(fleet.workers, Workers { machines: 50, sets: 10, deployments: 10 });
    assert_eq!(fleet.bootstrap_groups, "");
    assert_eq!(fleet.election, Election::Leases(LeaseSettings::default()));
    let orphans = OrphanSettings {
        period: Duration::from_secs(900),
        grace: Duration::from_secs(300),
        mode: OrphanMode::Collect,
    };
    assert_eq!(fleet.orphans, orphans);
    assert!(Controller::ALL.iter().all(|controller| fleet.controllers.run(*controller)));
    assert_eq!(fleet.providers, ServedProviders::All);
}

#[test]
fn requests_are_limited_far_above_what_go_allows_by_default() {
    assert_eq!(good(&[]).fleet.rate, RequestRate::Limited { qps: 500.0, burst: 1000 });
    let chosen = good(&["--kube-api-qps=0.5", "--kube-api-burst=0"]).fleet.rate;
    assert_eq!(chosen, RequestRate::Limited { qps: 0.5, burst: 0 });
}

#[test]
fn every_flag_of_machine_controller_manager_is_taken_as_its_manifests_write_it() {
    good(&[
        "--port=10259",
        "--address",
        "127.0.0.1",
        "--cloud-provider=aws",
        "--concurrent-syncs=30",
        "--min-resync-period=12h0m0s",
        "--profiling",
        "--contention-profiling=true",
        "--target-kubeconfig=/target/kubeconfig",
        "--control-kubeconfig=inClusterConfig",
        "--namespace=shoot--project--name",
        "--kube-api-content-type=application/json;charset=utf-8",
        "--kube-api-qps=150.0",
        "--kube-api-burst=200",
        "--controller-start-interval=0",
        "--leader-elect=true",
        "--leader-elect-lease-duration=15s",
        "--leader-elect-renew-deadline=10s",
        "--leader-elect-retry-period=2s",
        "--leader-elect-resource-lock=leases",
        "--v=3",
        "--vmodule=drain=5,machine*=4",
        "--log-flush-frequency=5s",
        "--safety-up=2",
        "--safety-down=1",
        "--machine-safety-overshooting-period=60000ms",
        "--autoscaler-scaledown-annotation-during-rollout=false",
        "--machine-creation-timeout=20m0s",
        "--machine-health-timeout=10m",
        "--machine-drain-timeout=2h",
        "--machine-inplace-update-timeout=20m",
        "--machine-max-evict-retries=360",
        "--machine-pv-detach-timeout=2m",
        "--machine-pv-reattach-timeout=90s",
        "--machine-preserve-timeout=96h",
        "--machine-safety-apiserver-statuscheck-timeout=30s",
        "--machine-safety-apiserver-statuscheck-period=1m",
        "--machine-safety-orphan-vms-period=30m",
        "--node-conditions=ReadonlyFilesystem,DiskPressure",
        "--bootstrap-token-auth-extra-groups=system:bootstrappers:worker-bootstrapper",
        "--resource-exhausted-retry=5m",
    ]);
}

#[test]
fn a_flag_without_effect_says_so_in_the_help() {
    for flag in Args::command().get_arguments() {
        let heading = flag.get_help_heading().unwrap_or_default();
        let help = flag.get_help().unwrap().to_string();
        let is_dead = help.starts_with("No effect") || help.starts_with("Not yet");
        assert_eq!(is_dead, heading.contains("without effect"), "--{}: {help}", flag.get_id());
    }
}

#[test]
fn yes_and_no_are_written_as_in_go() {
    let elects = |flags: &[&str]| matches!(good(flags).fleet.election, Election::Leases(_));
    assert!(elects(&["--leader-elect"]) && elects(&["--leader-elect=T"]));
    assert!(!elects(&["--leader-elect=false"]) && !elects(&["--leader-elect=0"]));
    // As in Go, the value must not stand apart; what stands there is an argument, and there are none.
    assert!(Args::try_parse_from(["x", "--leader-elect", "false"]).is_err());
}

#[test]
fn the_last_of_several_counts() {
    assert_eq!(good(&["--port=1", "--port=2"]).listen.port(), 2);
}

#[test]
fn the_control_cluster_is_the_target_cluster_unless_it_is_named() {
    let file = |path: &str| ClusterAccess::Kubeconfig(PathBuf::from(path));
    let clusters = |flags: &[&str]| {
        let fleet = good(flags).fleet;
        (fleet.control, fleet.target, fleet.settings.target)
    };
    let same = clusters(&["--target-kubeconfig=/t"]);
    assert_eq!(same, (file("/t"), Some(file("/t")), TargetCluster::Present));
    let empty = clusters(&["--target-kubeconfig=/t", "--control-kubeconfig="]);
    assert_eq!(empty, same);
    let two = clusters(&["--target-kubeconfig=/t", "--control-kubeconfig=/c"]);
    assert_eq!(two, (file("/c"), Some(file("/t")), TargetCluster::Present));
    let inside = clusters(&["--target-kubeconfig=/t", "--control-kubeconfig=inClusterConfig"]);
    assert_eq!(inside, (ClusterAccess::InCluster, Some(file("/t")), TargetCluster::Present));
    let none = clusters(&["--target-kubeconfig=none", "--control-kubeconfig=/c"]);
    assert_eq!(none, (file("/c"), None, TargetCluster::Absent));
}

#[test]
fn without_a_target_the_control_cluster_must_be_named() {
    let error = check(&["--target-kubeconfig=none"]).unwrap_err().to_string();
    assert!(
        error.starts_with("--control-kubeconfig is empty: ") && error.contains("inClusterConfig"),
        "{error}"
    );
}

#[test]
fn controllers_that_run_elsewhere_get_no_workers_and_no_lease_here() {
    for (list, workers, leases) in [
        ("machine", [50, 0, 0], vec!["machine-controller"]),
        ("machineset,machinedeployment", [0, 10, 10], vec!["machine-controller-manager"]),
        (" machineset , machine ", [50, 10, 0], vec!["machine-controller", "machine-controller-manager"]),
    ] {
        let fleet = good(&["--controllers", list]).fleet;
        let Workers { machines, sets, deployments } = fleet.workers;
        assert_eq!([machines, sets, deployments], workers, "{list}");
        assert_eq!(fleet.controllers.leases().into_iter().collect::<Vec<_>>(), leases, "{list}");
    }
    let Workers { machines, sets, deployments } =
        good(&["--concurrent-syncs=7", "--controllers=machineset"]).fleet.workers;
    assert_eq!([machines, sets, deployments], [0, 7, 0]);
}

#[test]
fn a_provider_is_chosen_by_any_of_its_names() {
    assert_eq!(good(&["--providers=LOCAL"]).fleet.providers, ServedProviders::Only(["local"].into()));
    assert_eq!(good(&["--providers="]).fleet.providers, ServedProviders::All);
}

#[test]
fn a_wait_of_zero_after_exhausted_capacity_stands_for_ten_minutes() {
    let wait = |flag| good(&[flag]).fleet.settings.resource_exhausted_retry;
    assert_eq!(wait("--resource-exhausted-retry=0"), Duration::from_secs(600));
    assert_eq!(wait("--resource-exhausted-retry=1m"), Duration::from_secs(60));
}

#[test]
fn replacements_and_drains_are_bounded_as_asked() {
    let fleet = good(&[
        "--machine-max-replacements=10%",
        "--machine-replacement-scope=zone",
        "--machine-replacement-counts-deletions=false",
        "--machine-max-concurrent-drains=3",
        "--machine-max-parallel-volume-evictions=4",
    ])
    .fleet;
    let rule = MeltdownRule {
        limit: IntOrPercent::Text("10%".into()),
        scope: MeltdownScope::Zone,
        deletions: DeletionWeight::Ignored,
    };
    assert_eq!((fleet.settings.meltdown, fleet.max_concurrent_drains), (rule, Some(3)));
    assert_eq!(fleet.settings.parallel_volume_evictions, 4);
    assert_eq!(good(&[]).fleet.max_concurrent_drains, None);
    assert_eq!(good(&["--machine-max-replacements=7"]).fleet.settings.meltdown.limit, IntOrPercent::Int(7));
}

#[test]
fn orphans_are_only_told_and_freezing_is_timed_as_asked() {
    let fleet = good(&[
        "--machine-safety-orphan-vms-report-only",
        "--machine-safety-apiserver-statuscheck-timeout=5s",
        "--machine-safety-apiserver-statuscheck-period=5s",
    ])
    .fleet;
    assert_eq!(fleet.orphans.mode, OrphanMode::Report);
    let five = Duration::from_secs(5);
    assert_eq!(fleet.freeze, FreezeSettings { timeout: five, period: five });
    let plain = good(&[]).fleet;
    assert_eq!((plain.orphans.mode, plain.freeze), (OrphanMode::Collect, FreezeSettings::default()));
}

#[test]
fn clouds_are_where_the_flags_say_and_all_wrong_ones_are_told_at_once_without_passwords() {
    let flags = [
        "--cloud-endpoint=aws.ec2=http://127.0.0.1:5000",
        "--cloud-endpoint",
        "gcp.compute=https://private/gcp/",
    ];
    let endpoints = good(&flags).cloud_endpoints;
    assert_eq!(endpoints.get(Endpoint::AwsEc2), Some("http://127.0.0.1:5000"));
    assert_eq!(endpoints.get(Endpoint::GcpCompute), Some("https://private/gcp"));
    let wrong = ["--cloud-endpoint=aws.ec2=here", "--cloud-endpoint=aws.sts=http://user:word@here"];
    let told = check(&wrong).unwrap_err();
    assert_eq!(told.all().len(), 2, "{told}");
    assert!(told.to_string().contains("without a user") && !told.to_string().contains("word@"), "{told}");
}

#[test]
fn every_place_of_a_cloud_is_named_in_the_help() {
    let command = Args::command();
    let flag = command.get_arguments().find(|flag| flag.get_long() == Some("cloud-endpoint")).unwrap();
    let help = flag.get_help().unwrap().to_string();
    for endpoint in Endpoint::ALL {
        assert!(help.contains(endpoint.name()), "{help}");
    }
}

#[test]
fn levels_of_klog_are_levels_of_ours_and_never_show_what_libraries_send() {
    for (level, filter) in
        [("0", "info"), ("3", "info"), ("4", "info,millwright=debug"), ("10", "info,millwright=trace")]
    {
        assert_eq!(good(&["-v", level]).logs.filter.to_string(), filter);
        assert_eq!(good(&[&format!("--v={level}")]).logs.filter.to_string(), filter);
    }
}

#[test]
fn how_sets_and_deployments_go_on_is_as_in_gardeners_system_unless_flags_say_otherwise() {
    let rollouts = |flags: &[&str]| good(flags).fleet.rollouts;
    assert_eq!(rollouts(&[]), RolloutSettings::default());
    assert_eq!(
        rollouts(&["--target-kubeconfig=none", "--control-kubeconfig=c"]).target,
        TargetCluster::Absent
    );
    let all = rollouts(&[
        "--safety-up=5",
        "--safety-down=4",
        "--machine-safety-overshooting-period=300ms",
        "--autoscaler-scaledown-annotation-during-rollout=false",
        "--enforce-min-ready-seconds",
        "--failed-machine-replacement=create-first",
    ]);
    assert_eq!(all.overshoot, OvershootRule { up: 5, down: 4, period: Duration::from_millis(300) });
    assert_eq!(all.autoscaler_annotations, AutoscalerAnnotations::Left);
    assert_eq!(all.min_ready, MinReady::Enforced);
    assert_eq!(all.failed_replacement, FailedReplacement::CreateFirst);
}

#[test]
fn rollouts_are_bounded_only_as_asked() {
    assert_eq!(good(&[]).fleet.rollouts.bounds, Bounds::default());
    let windows = "0 22 * * SAT for 4h in Europe/Berlin | 0 2 * * MON-FRI for 90m";
    for (most, want) in [("3", IntOrPercent::Int(3)), ("10%", IntOrPercent::Text("10%".into()))] {
        let flags =
            [format!("--max-machines-in-replacement={most}"), format!("--maintenance-window={windows}")];
        let bounds = good(&flags.each_ref().map(String::as_str)).fleet.rollouts.bounds;
        assert_eq!(bounds, Bounds { in_replacement: Some(want), maintenance: windows.parse().ok() });
    }
    let off = good(&["--max-machines-in-replacement=0", "--maintenance-window=always"]);
    assert_eq!(off.fleet.rollouts.bounds, Bounds::default());
}

#[test]
fn a_negative_number_that_stands_apart_is_a_value_and_no_flag() {
    assert_eq!(check(&["--safety-up", "-1"]).unwrap_err().all()[0].value, "-1");
}
