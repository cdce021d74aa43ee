//! What is said of a write before it happens. The counting itself is `decide`'s, and is tested there.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use millwright_admission::{
    Change, ClassUser, Facts, Kind, Known, NoFacts, Occasion, Request, Standing, Surroundings, preview,
};
use millwright_api::{Machine, MachineDeployment, MachineSet};
use serde_json::{Value, json};

use crate::objects::{class, with};

/// A deployment that is complete, with its one set and its machines.
struct Pool {
    deployment: Value,
    set: Value,
    machines: Vec<Value>,
}

fn controller(kind: &str, name: &str) -> Value {
    json!([{"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": kind, "name": name, "uid": format!("uid-{name}"),
        "controller": true, "blockOwnerDeletion": true}])
}

fn pool(replicas: usize) -> Pool {
    let template = json!({
        "metadata": {"labels": {"pool": "a"}},
        "spec": {"class": {"kind": "MachineClass", "name": "small"}},
    });
    let mut of_set = template.clone();
    of_set["metadata"]["labels"]["machine-template-hash"] = json!("1");
    let labels = of_set["metadata"]["labels"].clone();
    let machine = |number: usize| {
        let name = format!("m-{number:04}");
        json!({
            "metadata": {"name": name, "namespace": "shoot", "uid": format!("uid-{name}"), "resourceVersion": "1",
                "labels": with(labels.clone(), "/node", json!(name)), "finalizers": ["machine.sapcloud.io/machine-controller"],
                "creationTimestamp": "2026-01-01T00:00:00Z", "ownerReferences": controller("MachineSet", "pool-1")},
            "spec": {"class": {"kind": "MachineClass", "name": "small"}, "providerID": format!("local:///{name}")},
            "status": {"currentStatus": {"phase": "Running", "lastUpdateTime": "2026-01-01T00:01:00Z"}},
        })
    };
    Pool {
        machines: (0..replicas).map(machine).collect(),
        deployment: json!({
            "metadata": {"name": "pool", "namespace": "shoot", "uid": "uid-pool", "resourceVersion": "1", "generation": 1},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"pool": "a"}}, "template": template,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
        }),
        set: json!({
            "metadata": {"name": "pool-1", "namespace": "shoot", "uid": "uid-pool-1", "resourceVersion": "1",
                "labels": labels, "ownerReferences": controller("MachineDeployment", "pool"),
                "annotations": {"deployment.kubernetes.io/revision": "1"}},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": of_set},
        }),
    }
}

struct Around(Surroundings);

impl Facts for Around {
    fn surroundings(&self, _: &MachineDeployment) -> Known<Surroundings> {
        Known::Yes(self.0.clone())
    }

    fn class_users(&self, class: &str) -> Known<Vec<ClassUser>> {
        let users = self.0.machines.iter().filter(|machine| machine.spec.class.name == class);
        let user = |name: &Option<String>, kind| ClassUser {
            kind,
            name: name.clone().unwrap(),
            standing: Standing::There,
        };
        let sets = self.0.sets.iter().map(|set| user(&set.metadata.name, Kind::MachineSet));
        Known::Yes(users.map(|machine| user(&machine.metadata.name, Kind::Machine)).chain(sets).collect())
    }
}

impl Pool {
    fn facts(&self) -> Around {
        let machine = |value: &Value| Arc::new(serde_json::from_value::<Machine>(value.clone()).unwrap());
        Around(Surroundings {
            sets: vec![Arc::new(serde_json::from_value::<MachineSet>(self.set.clone()).unwrap())],
            machines: self.machines.iter().map(machine).collect(),
            nodes: Vec::new(),
        })
    }

    fn told(&self, occasion: Occasion, new: &Value) -> Vec<String> {
        let change = Change::Update { old: &self.deployment, new };
        ask(Kind::MachineDeployment, change, &self.facts(), occasion)
    }

    /// The deployment with another value at a JSON pointer.
    fn with(&self, pointer: &str, value: Value) -> Value {
        with(self.deployment.clone(), pointer, value)
    }

    fn rolled(&self) -> Value {
        self.with("/spec/template/spec/class/name", json!("large"))
    }
}

fn ask(kind: Kind, change: Change<'_>, facts: &dyn Facts, occasion: Occasion) -> Vec<String> {
    let name = change.new_object().and_then(|new| new["metadata"]["name"].as_str()).unwrap();
    let request = Request { kind, name, namespace: "shoot", field_manager: None, change };
    preview(&request, facts, occasion, "2026-01-02T00:00:00Z".parse::<Timestamp>().unwrap())
}

const PLAN: &str = "This change replaces 3 machines (3 of class small) in 6 steps, 0 kept; at most 4 machines at a time, no node is \
                    missing in between.";

#[test]
fn another_class_tells_its_plan_whether_it_happens_or_is_asked_about() {
    let pool = pool(3);
    for occasion in [Occasion::DryRun, Occasion::Write] {
        assert_eq!(pool.told(occasion, &pool.rolled()), [PLAN]);
    }
}

#[test]
fn scaling_is_told_to_those_who_ask_and_not_to_an_autoscaler() {
    let pool = pool(3);
    let smaller = pool.with("/spec/replicas", json!(1));
    assert_eq!(pool.told(Occasion::Write, &smaller), [""; 0]);
    let told = pool.told(Occasion::DryRun, &smaller);
    assert!(told[0].contains("deletes 2 machines (2 of class small)"), "{told:?}");
}

#[test]
fn metadata_alone_tells_nothing() {
    let pool = pool(3);
    let labelled = pool.with("/metadata/labels", json!({"team": "blue"}));
    for occasion in [Occasion::DryRun, Occasion::Write] {
        assert_eq!(pool.told(occasion, &labelled), [""; 0]);
    }
}

#[test]
fn a_paused_deployment_says_that_nothing_rolls() {
    let pool = pool(3);
    let paused = with(pool.rolled(), "/spec/paused", json!(true));
    assert_eq!(
        pool.told(Occasion::Write, &paused),
        ["Nothing is replaced while spec.paused is true; scaling works."]
    );
}

#[test]
fn a_closed_window_says_what_the_rollout_waits_for() {
    let pool = pool(3);
    let window = json!({"machine.sapcloud.io/maintenance-window": "0 3 * * * for 1h"});
    let rolled = with(pool.rolled(), "/metadata/annotations", window);
    let told = pool.told(Occasion::Write, &rolled);
    assert!(told.iter().any(|line| line.starts_with("It waits first: ")), "{told:?}");
}

#[test]
fn a_window_that_is_taken_away_tells_of_the_rollout_that_waited_for_it() {
    let mut pool = pool(3);
    let window = json!({"machine.sapcloud.io/maintenance-window": "0 3 * * * for 1h"});
    let free = pool.rolled();
    pool.deployment = with(free.clone(), "/metadata/annotations", window);
    assert_eq!(pool.told(Occasion::Write, &free), [PLAN]);
}

#[test]
fn a_field_that_rolls_nothing_says_where_it_goes() {
    let pool = pool(3);
    let patient = pool.with("/spec/template/spec/drainTimeout", json!("5m"));
    assert_eq!(
        pool.told(Occasion::Write, &patient),
        ["spec.template.spec.drainTimeout: written to 3 machines without replacing any."]
    );
}

#[test]
fn a_field_that_concerns_no_machine_says_so_to_those_who_ask() {
    let pool = pool(3);
    let other = pool.with("/spec/progressDeadlineSeconds", json!(60));
    assert_eq!(pool.told(Occasion::Write, &other), [""; 0]);
    assert_eq!(
        pool.told(Occasion::DryRun, &other),
        [
            "No machine is touched by the change of spec.progressDeadlineSeconds: it counts for what comes later."
        ]
    );
}

#[test]
fn a_frozen_set_is_named_beside_the_plan() {
    let mut pool = pool(3);
    pool.set["metadata"]["labels"]["freeze"] = json!("True");
    let told = pool.told(Occasion::DryRun, &pool.rolled());
    assert!(told.len() > 1 && told.last().unwrap().starts_with("It is frozen"), "{told:?}");
}

#[test]
fn a_new_deployment_is_told_to_those_who_ask() {
    let pool = pool(3);
    let facts = Around(Surroundings::default());
    let change = Change::Create { new: &pool.deployment };
    assert_eq!(ask(Kind::MachineDeployment, change, &facts, Occasion::Write), [""; 0]);
    let told = ask(Kind::MachineDeployment, change, &facts, Occasion::DryRun);
    assert!(told[0].starts_with("This change creates 3 machines in 1 step"), "{told:?}");
}

#[test]
fn without_facts_only_those_who_ask_hear_that_nothing_is_known() {
    let pool = pool(3);
    let rolled = pool.rolled();
    let change = Change::Update { old: &pool.deployment, new: &rolled };
    assert_eq!(ask(Kind::MachineDeployment, change, &NoFacts, Occasion::Write), [""; 0]);
    let told = ask(Kind::MachineDeployment, change, &NoFacts, Occasion::DryRun);
    assert!(told.len() == 1 && told[0].contains("can't be told"), "{told:?}");
    let scaled = pool.with("/spec/replicas", json!(9));
    let change = Change::Update { old: &pool.deployment, new: &scaled };
    assert_eq!(ask(Kind::MachineDeployment, change, &NoFacts, Occasion::DryRun), [""; 0]);
}

#[test]
fn what_can_not_be_read_or_is_on_its_way_out_is_passed_over() {
    let pool = pool(3);
    let odd = pool.with("/spec/replicas", json!("many"));
    assert_eq!(pool.told(Occasion::DryRun, &odd), [""; 0]);
    let going = with(pool.rolled(), "/metadata/deletionTimestamp", json!("2026-01-02T00:00:00Z"));
    assert_eq!(pool.told(Occasion::DryRun, &going), [""; 0]);
}

#[test]
fn a_changed_class_says_how_many_machines_keep_what_they_were_made_with() {
    let facts = pool(3).facts();
    let old = class();
    let told =
        |new: &Value| ask(Kind::MachineClass, Change::Update { old: &old, new }, &facts, Occasion::Write);
    let larger = told(&with(class(), "/providerSpec/size", json!("large")));
    assert!(
        larger.len() == 1 && larger[0].starts_with("3 machines keep what they were made with"),
        "{larger:?}"
    );
    assert!(larger[0].chars().count() < 250, "{}", larger[0].chars().count());
    assert_eq!(told(&with(class(), "/nodeTemplate", json!({"region": "a"}))), [""; 0]);
    let unused = with(class(), "/metadata/name", json!("large"));
    assert_eq!(told(&with(unused, "/providerSpec/size", json!("large"))), [""; 0]);
}

/// Every place of a deployment, as a JSON pointer.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    if let Value::Object(fields) = value {
        fields.iter().for_each(|(key, value)| places(value, &format!("{here}/{key}"), found));
    }
}

#[test]
fn nothing_that_can_be_written_takes_long_or_panics() {
    let mut pool = pool(2);
    pool.deployment["spec"]["paused"] = json!(false);
    pool.deployment["spec"]["minReadySeconds"] = json!(0);
    pool.deployment["metadata"]["annotations"] = json!({"machine.sapcloud.io/maintenance-window": "always"});
    let mut found = Vec::new();
    places(&pool.deployment["spec"], "/spec", &mut found);
    found.push("/metadata/annotations/machine.sapcloud.io~1maintenance-window".to_owned());
    found.retain(|place| place != "/spec");
    let odd = [
        json!(null),
        json!(-1),
        json!(i32::MAX),
        json!(i64::MIN),
        json!("99999999%"),
        json!(""),
        json!([[]]),
        json!({}),
    ];
    for place in &found {
        for value in &odd {
            let mut new = pool.rolled();
            *new.pointer_mut(place).unwrap() = value.clone();
            let told = pool.told(Occasion::DryRun, &new);
            assert!(told.iter().all(|line| line.chars().count() < 256), "{place} {value}: {told:?}");
        }
    }
    let vast = with(pool.rolled(), "/spec/replicas", json!(2001));
    assert!(pool.told(Occasion::DryRun, &vast)[0].contains("more than 2000"));
    assert_eq!(pool.told(Occasion::Write, &vast), [""; 0]);
}

#[test]
fn a_thousand_machines_are_looked_at_within_the_bound_and_the_rest_is_estimated() {
    let pool = pool(1000);
    let begun = Instant::now();
    let told = pool.told(Occasion::Write, &pool.rolled());
    println!("{:?} {told:?}", begun.elapsed());
    assert!(
        told[0].starts_with("This change reaches 1000 machines in about 2000 steps. In the first "),
        "{told:?}"
    );
}
