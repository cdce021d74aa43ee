//! What the flags refuse, and how it is told.

use clap::CommandFactory as _;
use millwright_controller::Args;

use crate::flags::check;

/// One bad value for every flag that can have one, with a word of what is allowed.
const BAD: &[(&str, &str)] = &[
    ("--namespace=Default", "lower case"),
    ("--namespace=", "1 to 63"),
    ("--kube-api-qps=0", "above 0"),
    ("--kube-api-qps=inf", "above 0"),
    ("--kube-api-burst=-1", "from 0"),
    ("--controllers=node", "machinedeployment, machineset, machine"),
    ("--controllers=,", "machinedeployment, machineset, machine"),
    ("--providers=local,nowhere", "one or more of "),
    ("--cloud-endpoint=aws.s3=http://127.0.0.1:1", "there are aws.ec2, aws.sts"),
    ("--cloud-endpoint=aws.ec2=here", "write http:// or https://"),
    ("--cloud-endpoint=http://127.0.0.1:1", "write NAME=URL"),
    ("--concurrent-syncs=0", "from 1"),
    ("--shutdown-grace=0s", "more than zero"),
    ("--machine-creation-timeout=20", "with a unit"),
    ("--machine-health-timeout=-1s", "zero or more"),
    ("--machine-drain-timeout=soon", "with a unit"),
    ("--machine-max-evict-retries=4294967296", "2147483647"),
    ("--machine-max-parallel-volume-evictions=0", "from 1"),
    ("--machine-max-concurrent-drains=-1", "from 0"),
    ("--machine-max-replacements=0", "from 1"),
    ("--machine-max-replacements=0%", "10%"),
    ("--machine-max-replacements=ten", "10%"),
    ("--machine-replacement-scope=region", "deployment, zone or cluster"),
    ("--machine-replacement-counts-deletions=x", "true or false"),
    ("--watch-relist-period=0", "more than zero"),
    ("--bootstrap-token-auth-extra-groups=system:masters", "system:bootstrappers:"),
    ("--bootstrap-token-auth-extra-groups=system:bootstrappers:a,system:bootstrappers:B", "lower case"),
    ("--resource-exhausted-retry=10", "with a unit"),
    ("--machine-safety-orphan-vms-period=0s", "more than zero"),
    ("--machine-safety-orphan-vms-grace=5 m", "with a unit"),
    ("--leader-elect=perhaps", "true or false"),
    ("--leader-elect-lease-duration=15", "with a unit"),
    ("--leader-elect-renew-deadline=15s", "less than --leader-elect-lease-duration, which is 15s"),
    ("--leader-elect-retry-period=0s", "less than --leader-elect-renew-deadline, which is 10s"),
    ("--leader-elect-resource-lock=endpoints", "write leases"),
    ("--address=localhost", "IP address"),
    ("--port=0", "1 to 65535"),
    ("--port=65536", "1 to 65535"),
    ("--log-format=yaml", "text or json"),
    ("--v=high", "whole number"),
    ("--provider-id=cloud", "node"),
    ("--controller-start-interval=1", "with a unit"),
    ("--kube-api-content-type=json", "media type"),
    ("--min-resync-period=-12h", "zero or more"),
    ("--log-flush-frequency=often", "with a unit"),
    ("--profiling=on", "true or false"),
    ("--contention-profiling", "--profiling=true too"),
    ("--safety-up=-1", "from 0"),
    ("--safety-down=x", "from 0"),
    ("--machine-safety-overshooting-period=x", "with a unit"),
    ("--enforce-min-ready-seconds=x", "true or false"),
    ("--failed-machine-replacement=both", "delete-first or create-first"),
    ("--max-machines-in-replacement=-1", "from 1"),
    ("--max-machines-in-replacement=0%", "or 0 for no bound"),
    ("--max-machines-in-replacement=ten", "10%"),
    ("--maintenance-window=saturdays", "0 22 * * SAT for 4h in Europe/Berlin"),
    ("--maintenance-window=0 22 * * SAT for 4h in Berlin", "Europe/Berlin or UTC"),
    ("--autoscaler-scaledown-annotation-during-rollout=x", "true or false"),
    ("--machine-inplace-update-timeout=x", "with a unit"),
    ("--machine-pv-detach-timeout=x", "with a unit"),
    ("--machine-pv-reattach-timeout=x", "with a unit"),
    ("--machine-preserve-timeout=x", "with a unit"),
    ("--machine-safety-orphan-vms-report-only=x", "true or false"),
    ("--machine-safety-apiserver-statuscheck-timeout=x", "with a unit"),
    ("--machine-safety-apiserver-statuscheck-timeout=999ms", "1s or more"),
    ("--machine-safety-apiserver-statuscheck-period=29s", "no less than"),
];

/// Whatever stands there can be used: a path, or text without meaning.
const NEVER_BAD: &[&str] =
    &["--control-kubeconfig", "--target-kubeconfig", "--node-conditions", "--cloud-provider", "--vmodule"];

fn name(flag: &str) -> &str {
    flag.split('=').next().unwrap()
}

#[test]
fn a_bad_value_is_told_with_its_flag_itself_and_what_is_allowed() {
    for (flag, allowed) in BAD {
        let mistakes = check(&[flag]).unwrap_err();
        let [mistake] = mistakes.all() else { panic!("{flag}: {mistakes}") };
        assert_eq!(mistake.flag, name(flag));
        assert!(mistake.allowed.contains(allowed), "{mistake}");
        if let Some((_, value)) = flag.split_once('=') {
            assert_eq!(mistake.value, value);
        }
    }
}

#[test]
fn every_flag_has_its_bad_value_in_the_table_above() {
    for flag in Args::command().get_arguments().filter_map(|flag| flag.get_long()) {
        let flag = format!("--{flag}");
        let is_tried = BAD.iter().any(|(bad, _)| name(bad) == flag) || NEVER_BAD.contains(&flag.as_str());
        assert!(is_tried, "{flag}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let mut flags: Vec<&str> = BAD.iter().map(|(flag, _)| *flag).collect();
    flags.dedup_by_key(|flag| name(flag));
    // These are judged beside another flag, which must be good for that.
    flags.retain(|flag| !flag.contains("statuscheck-timeout") && !flag.contains("lease-duration=15"));
    flags.retain(|flag| !flag.contains("retry-period") && !flag.contains("--profiling"));
    let mistakes = check(&flags).unwrap_err();
    let mut told: Vec<_> = mistakes.all().iter().map(|mistake| mistake.flag).collect();
    let mut wanted: Vec<_> = flags.iter().map(|flag| name(flag)).collect();
    told.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(told, wanted);
    assert!(mistakes.to_string().starts_with(&format!("{} flags can't be used:\n  --", flags.len())));
}
