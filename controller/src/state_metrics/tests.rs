use super::*;

use millwright_api::{
    IntOrPercent, LastOperation, Machine, MachineDeployment, MachinePhase, MachineSet, MachineSetCondition,
    MachineSummary, NodeCondition, OperationState, OperationType, RollbackTo, RollingUpdate,
};
use prometheus::TextEncoder;

use crate::fleet_work::quiet_fleet;

fn named<K: kube::Resource>(mut object: K, name: &str, version: u32) -> K {
    let meta = object.meta_mut();
    meta.name = Some(name.into());
    meta.namespace = Some("ns".into());
    meta.uid = Some(format!("uid-{name}"));
    meta.resource_version = Some(version.to_string());
    meta.creation_timestamp = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
        jiff::Timestamp::from_second(1_700_000_000).unwrap(),
    ));
    object
}

fn condition(type_: &str, status: &str) -> NodeCondition {
    NodeCondition { type_: type_.into(), status: status.into(), ..NodeCondition::default() }
}

fn machine(name: &str, phase: MachinePhase) -> Machine {
    let mut machine = named(Machine::default(), name, 1);
    machine.status.current_status.phase = phase;
    machine.spec.provider_id = format!("local:///{name}");
    machine.spec.class.kind = "MachineClass".into();
    machine.spec.class.name = "small".into();
    machine.metadata.labels = Some([("node".to_owned(), format!("node-{name}"))].into());
    machine
}

/// What a scrape shows, without comments.
fn shown(registry: &Registry) -> Vec<String> {
    let text = TextEncoder::new().encode_to_string(&registry.gather()).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

struct Scene {
    registry: Registry,
    state: StateMetrics,
    fleet: Arc<Fleet>,
}

async fn scene() -> Scene {
    let registry = Registry::new();
    let state = StateMetrics::register(&registry).unwrap();
    let fleet = quiet_fleet().await;
    state.show(&fleet);
    Scene { registry, state, fleet }
}

fn assert_shows(registry: &Registry, lines: &[&str]) {
    let shown = shown(registry);
    for line in lines {
        assert!(shown.iter().any(|found| found == line), "{line}\nis not in\n{}", shown.join("\n"));
    }
}

#[tokio::test]
async fn a_process_that_leads_nothing_counts_nothing() {
    let registry = Registry::new();
    StateMetrics::register(&registry).unwrap();
    assert_eq!(
        shown(&registry),
        [
            "mcm_machine_controller_frozen 0",
            "mcm_machine_deployment_items_total 0",
            "mcm_machine_items_total 0",
            "mcm_machine_set_items_total 0"
        ]
    );
}

#[tokio::test]
async fn a_machine_shows_phase_info_and_conditions_and_vanishes_with_its_object() {
    let Scene { registry, fleet, .. } = scene().await;
    let mut machine = machine("a", MachinePhase::Failed);
    machine.status.conditions = vec![condition("Ready", "False"), condition("DiskPressure", "Unknown")];
    fleet.update(|index| index.apply_machine(machine));
    assert_shows(
        &registry,
        &[
            "mcm_machine_items_total 1",
            r#"mcm_machine_current_status_phase{name="a",namespace="ns"} -3"#,
            r#"mcm_machine_info{createdAt="1700000000",name="a",namespace="ns",node_name="node-a",spec_class_api_group="",spec_class_kind="MachineClass",spec_class_name="small",spec_provider_id="local:///a"} 1"#,
            r#"mcm_machine_status_condition{condition="Ready",name="a",namespace="ns"} 0"#,
            r#"mcm_machine_status_condition{condition="DiskPressure",name="a",namespace="ns"} 2"#,
        ],
    );

    fleet.update(|index| index.forget_machine("a", "uid-a"));
    assert_shows(&registry, &["mcm_machine_items_total 0"]);
    assert!(shown(&registry).iter().all(|line| !line.contains(r#"name="a""#)));
}

#[tokio::test]
async fn every_phase_has_the_number_that_dashboards_know() {
    let Scene { registry, fleet, .. } = scene().await;
    for (phase, number) in [
        ("Terminating", -4),
        ("Failed", -3),
        ("CrashLoopBackOff", -2),
        ("Unknown", -1),
        ("Pending", 0),
        ("Running", 1),
        ("Available", 0),
        ("InPlaceUpdating", 0),
        ("", 0),
    ] {
        let name = format!("m-{}", phase.to_lowercase());
        fleet.update(|index| index.apply_machine(machine(&name, phase.into())));
        let line = format!(r#"mcm_machine_current_status_phase{{name="{name}",namespace="ns"}} {number}"#);
        assert_shows(&registry, &[&line]);
    }
}

#[tokio::test]
async fn what_stands_twice_in_an_object_is_one_series() {
    let Scene { registry, fleet, .. } = scene().await;
    let mut machine = machine("a", MachinePhase::Running);
    machine.status.conditions = vec![condition("Ready", "True"), condition("Ready", "False")];
    fleet.update(|index| index.apply_machine(machine));
    let mut set = named(MachineSet::default(), "s", 1);
    set.status.failed_machines = vec![MachineSummary { name: "a".into(), ..MachineSummary::default() }; 2];
    fleet.update(|index| index.apply_set(set));

    let series: Vec<String> =
        shown(&registry).iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect();
    let mut once = series.clone();
    once.dedup();
    assert_eq!(series, once);
    assert_shows(
        &registry,
        &[r#"mcm_machine_status_condition{condition="Ready",name="a",namespace="ns"} 1"#],
    );
}

#[tokio::test]
async fn a_set_shows_what_it_has_and_the_class_of_its_template() {
    let Scene { registry, fleet, .. } = scene().await;
    let mut set = named(MachineSet::default(), "s", 1);
    set.spec.replicas = 3;
    set.spec.template.spec.class.name = "small".into();
    set.status.replicas = 4;
    set.status.ready_replicas = 2;
    set.status.conditions = vec![MachineSetCondition {
        type_: "Frozen".into(),
        status: "True".into(),
        ..MachineSetCondition::default()
    }];
    set.status.failed_machines = vec![MachineSummary {
        name: "m".into(),
        provider_id: "id".into(),
        owner_ref: "s".into(),
        last_operation: LastOperation {
            state: OperationState::Failed,
            type_: OperationType::Create,
            ..LastOperation::default()
        },
    }];
    fleet.update(|index| index.apply_set(set));
    assert_shows(
        &registry,
        &[
            "mcm_machine_set_items_total 1",
            r#"mcm_machine_set_info{createdAt="1700000000",name="s",namespace="ns",spec_machine_class_api_group="",spec_machine_class_kind="",spec_machine_class_name="small"} 1"#,
            r#"mcm_machine_set_info_spec_replicas{name="s",namespace="ns"} 3"#,
            r#"mcm_machine_set_status_replicas{name="s",namespace="ns"} 4"#,
            r#"mcm_machine_set_status_ready_replicas{name="s",namespace="ns"} 2"#,
            r#"mcm_machine_set_status_condition{condition="Frozen",name="s",namespace="ns"} 1"#,
            r#"mcm_machine_set_failed_machines{failed_machine_last_operation_machine_operation_type="Create",failed_machine_last_operation_state="Failed",failed_machine_name="m",failed_machine_owner_ref="s",failed_machine_provider_id="id",name="s",namespace="ns"} 1"#,
        ],
    );
}

#[tokio::test]
async fn a_deployment_shows_percentages_as_counts_and_nothing_for_what_is_not_set() {
    let Scene { registry, fleet, .. } = scene().await;
    let mut deployment = named(MachineDeployment::default(), "d", 1);
    deployment.spec.replicas = 10;
    fleet.update(|index| index.apply_deployment(deployment.clone()));
    for absent in ["max_surge", "revision_history_limit", "progress_deadline", "rollback", "collision"] {
        assert!(shown(&registry).iter().all(|line| !line.contains(absent)), "{absent}");
    }

    deployment.metadata.resource_version = Some("2".into());
    deployment.spec.strategy.rolling_update = Some(RollingUpdate {
        max_surge: Some(IntOrPercent::Text("25%".into())),
        max_unavailable: Some(IntOrPercent::Text("25%".into())),
    });
    deployment.spec.paused = true;
    deployment.spec.revision_history_limit = Some(5);
    deployment.spec.rollback_to = Some(RollbackTo { revision: 7 });
    deployment.status.collision_count = Some(1);
    fleet.update(|index| index.apply_deployment(deployment));
    assert_shows(
        &registry,
        &[
            r#"mcm_machine_deployment_info_spec_rolling_update_max_surge{name="d",namespace="ns"} 3"#,
            r#"mcm_machine_deployment_info_spec_rolling_update_max_unavailable{name="d",namespace="ns"} 2"#,
            r#"mcm_machine_deployment_info_spec_paused{name="d",namespace="ns"} 1"#,
            r#"mcm_machine_deployment_info_spec_revision_history_limit{name="d",namespace="ns"} 5"#,
            r#"mcm_machine_deployment_info_spec_rollback_to_revision{name="d",namespace="ns"} 7"#,
            r#"mcm_machine_deployment_status_collision_count{name="d",namespace="ns"} 1"#,
        ],
    );
}

#[tokio::test]
async fn several_fleets_are_counted_together_and_one_that_has_ended_is_not() {
    let Scene { registry, state, fleet } = scene().await;
    let other = quiet_fleet().await;
    state.show(&other);
    fleet.update(|index| index.apply_machine(machine("a", MachinePhase::Running)));
    other.update(|index| index.apply_machine(machine("b", MachinePhase::Running)));
    assert_shows(&registry, &["mcm_machine_items_total 2"]);
    drop(other);
    assert_shows(&registry, &["mcm_machine_items_total 1"]);
}
