//! The program beside an API server: when it starts, when it may write, when it gives back.

use std::time::{Duration, Instant};

use crate::kubernetes::Kubernetes;
use crate::program::{LONG, Program};

const BOTH: [&str; 2] = ["machine-controller", "machine-controller-manager"];

fn holders(kubernetes: &Kubernetes) -> Vec<String> {
    kubernetes.holders().into_values().collect()
}

#[test]
fn it_leads_with_both_leases_is_ready_and_gives_them_back_at_the_end() {
    let kubernetes = Kubernetes::start();
    let mut program = Program::start(&kubernetes.kubeconfig(), &[]);
    program.tells(&["working", "machines=0"]);
    assert_eq!(kubernetes.holders().keys().collect::<Vec<_>>(), BOTH);
    let identities = holders(&kubernetes);
    assert!(!identities[0].is_empty() && identities[0] == identities[1], "{identities:?}");
    program.answers("/readyz", |code, _| code == 200);
    program.answers("/healthz", |code, _| code == 200);
    program.answers("/configz", |_, body| body == "{}");
    program.answers("/metrics", |_, body| body.contains("mcm_machine_items_total 0"));

    program.signal("TERM");
    let (code, told) = program.ended();
    assert_eq!(code, Some(0), "{told:#?}");
    assert_eq!(holders(&kubernetes), ["", ""], "{told:#?}");
}

#[test]
fn half_of_the_controllers_take_only_their_own_lease() {
    for (controllers, lease) in
        [("machine", "machine-controller"), ("machinedeployment,machineset", "machine-controller-manager")]
    {
        let kubernetes = Kubernetes::start();
        let mut program =
            Program::start(&kubernetes.kubeconfig(), &[&format!("--controllers={controllers}")]);
        program.tells(&["working"]);
        assert_eq!(kubernetes.holders().keys().collect::<Vec<_>>(), [lease]);
    }
}

#[test]
fn without_an_election_no_lease_is_touched() {
    let kubernetes = Kubernetes::start();
    let mut program = Program::start(&kubernetes.kubeconfig(), &["--leader-elect=false"]);
    program.tells(&["working"]);
    program.signal("INT");
    let (code, told) = program.ended();
    assert_eq!((code, kubernetes.holders().len()), (Some(0), 0), "{told:#?}");
}

#[test]
fn a_second_one_is_ready_and_works_when_the_first_has_ended() {
    let kubernetes = Kubernetes::start();
    let mut first = Program::start(&kubernetes.kubeconfig(), &[]);
    first.tells(&["working"]);
    let mut second = Program::start(&kubernetes.kubeconfig(), &[]);
    second.tells(&["waiting to lead"]);
    second.answers("/readyz", |code, _| code == 200);
    let leader = holders(&kubernetes);

    first.signal("TERM");
    assert_eq!(first.ended().0, Some(0));
    second.tells(&["working"]);
    let next = holders(&kubernetes);
    assert!(next[0] == next[1] && next[0] != leader[0] && !next[0].is_empty(), "{leader:?} {next:?}");
}

#[test]
fn a_lost_lease_ends_it_with_what_happened() {
    for lease in BOTH {
        let kubernetes = Kubernetes::start();
        let mut program = Program::start(&kubernetes.kubeconfig(), &[]);
        program.tells(&["working"]);
        kubernetes.take_away(lease);
        let (code, told) = program.ended();
        assert_eq!(code, Some(1), "{told:#?}");
        assert!(told.iter().any(|line| line.contains("lost a lease of namespace \"machines\"")), "{told:#?}");
        assert_eq!(kubernetes.holders()[lease], "somebody-else");
    }
}

#[test]
fn it_waits_for_the_kinds_and_is_not_ready_before() {
    let kubernetes = Kubernetes::without_kinds();
    let mut program = Program::start(&kubernetes.kubeconfig(), &[]);
    program
        .tells(&["machineclasses, machinedeployments, machines, machinesets", "kubectl apply -k config/crd"]);
    program.answers("/readyz", |code, body| code == 503 && body.starts_with("start: "));
    program.answers("/healthz", |code, _| code == 200);
    assert!(kubernetes.holders().is_empty());
    kubernetes.install_kinds();
    program.tells(&["working"]);
}

#[test]
fn the_end_while_it_waits_to_lead_is_no_failure() {
    let kubernetes = Kubernetes::start();
    let mut first = Program::start(&kubernetes.kubeconfig(), &["--controllers=machine"]);
    first.tells(&["working"]);
    // It gets one lease and not the other.
    let mut second = Program::start(&kubernetes.kubeconfig(), &[]);
    second.tells(&["leading", "machine-controller-manager"]);
    second.signal("TERM");
    let (code, told) = second.ended();
    assert_eq!(code, Some(0), "{told:#?}");
    assert_eq!(kubernetes.holders()["machine-controller-manager"], "", "{told:#?}");
}

#[test]
fn one_lease_alone_is_given_back_so_that_others_can_work() {
    let kubernetes = Kubernetes::start();
    let mut machine = Program::start(&kubernetes.kubeconfig(), &["--controllers=machine"]);
    machine.tells(&["working"]);
    let times = [
        "--leader-elect-lease-duration=3s",
        "--leader-elect-renew-deadline=2s",
        "--leader-elect-retry-period=500ms",
    ];
    let mut greedy = Program::start(&kubernetes.kubeconfig(), &times);
    let given_back = greedy.tells(&["giving back the others"]);
    assert!(given_back.contains("missing=\"machine-controller\""), "{given_back}");
    let until = Instant::now() + LONG;
    while !kubernetes.holders()["machine-controller-manager"].is_empty() {
        assert!(Instant::now() < until, "{:?}", kubernetes.holders());
        std::thread::sleep(Duration::from_millis(20));
    }
}
