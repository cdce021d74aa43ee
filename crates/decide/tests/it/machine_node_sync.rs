//! Bringing a machine's labels, annotations and taints, and its class's virtual capacity, onto its Node.

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{ClassNodeTemplate, MachineClass, MachinePhase, NodeTemplate, NodeView, Quantity};
use millwright_decide::ProviderIdWording;
use millwright_decide::machine::{MachineAction, MachinePlan, NodeStatusPatch};

use crate::fixtures::machine::born;
use crate::fixtures::node::{ready, registered, taint};
use crate::fixtures::situation::{Situation, names, node_patch};

/// A machine whose status already tells all of its node.
fn told(phase: MachinePhase, node: NodeView, seconds: i64) -> Situation {
    let mut situation = Situation::with_node(born("m", phase), node);
    let plan = situation.plan(seconds);
    situation.obey(&plan);
    situation
}

fn node_template(labels: &[(&str, &str)], taints: Vec<Taint>) -> NodeTemplate {
    let mut template = NodeTemplate::default();
    template.metadata.labels = Some(labels.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect());
    template.spec.taints = Some(taints);
    template
}

#[test]
fn a_new_node_gets_name_finalizer_labels_and_taints_in_one_write() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.machine.spec.node_template = node_template(&[("tier", "gold")], vec![taint("gpu", "yes")]);
    let mut node = registered("m");
    node.metadata.finalizers = Some(vec!["a.example.com/x".into()]);
    node.metadata.annotations = Some([(annotations::NOT_MANAGED.to_owned(), "1".to_owned())].into());
    node.status = ready("m").status;
    node.spec.taints = vec![taint("node.cloudprovider.kubernetes.io/uninitialized", "true")];
    situation.node = Some(node);
    let plan = situation.plan(5);
    assert_eq!(names(&plan), ["PatchNode"]);
    let patch = node_patch(&plan);
    assert_eq!(patch.labels[labels::MACHINE_NAME].as_deref(), Some("m"));
    assert_eq!(patch.labels["tier"].as_deref(), Some("gold"));
    assert_eq!(patch.annotations[annotations::NOT_MANAGED], None);
    assert!(patch.annotations[annotations::LAST_APPLIED_NODE_TEMPLATE].is_some());
    assert_eq!(patch.finalizers.as_deref().unwrap(), ["a.example.com/x", finalizers::NODE]);
    let keys: Vec<&str> = patch.taints.iter().flatten().map(|taint| taint.key.as_str()).collect();
    assert_eq!(keys, ["node.cloudprovider.kubernetes.io/uninitialized", "gpu"]);
    assert!(patch.needs_lock() && patch.cordon.is_none());
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(6)), [""; 0]);
}

#[test]
fn what_left_the_template_leaves_the_node_and_what_is_foreign_stays() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.machine.spec.node_template =
        node_template(&[("tier", "gold"), ("old", "x")], vec![taint("gpu", "yes"), taint("old", "x")]);
    let plan = situation.plan(5);
    situation.obey(&plan);
    let node = situation.node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert("theirs".into(), "kept".into());
    node.spec.taints.push(taint("theirs", "kept"));
    let same_key = Taint { effect: "NoExecute".into(), ..taint("gpu", "kept") };
    node.spec.taints.push(same_key.clone());
    situation.machine.spec.node_template =
        node_template(&[("tier", "silver"), ("new", "y")], vec![taint("gpu", "no")]);
    let plan = situation.plan(6);
    let patch = node_patch(&plan);
    let changes: Vec<(&str, Option<&str>)> =
        patch.labels.iter().map(|(key, value)| (key.as_str(), value.as_deref())).collect();
    assert_eq!(changes, [("new", Some("y")), ("old", None), ("tier", Some("silver"))]);
    assert_eq!(patch.taints.as_deref().unwrap(), [taint("gpu", "no"), taint("theirs", "kept"), same_key]);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(7)), [""; 0]);
}

#[test]
fn a_key_that_somebody_overwrote_is_put_back() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.machine.spec.node_template = node_template(&[("tier", "gold")], vec![taint("gpu", "yes")]);
    let plan = situation.plan(5);
    situation.obey(&plan);
    let node = situation.node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert("tier".into(), "lead".into());
    node.spec.taints.clear();
    let plan = situation.plan(6);
    let patch = node_patch(&plan);
    assert_eq!(patch.labels["tier"].as_deref(), Some("gold"));
    assert_eq!(patch.taints.as_deref().unwrap(), [taint("gpu", "yes")]);
}

fn amounts(list: &[(&str, &str)]) -> std::collections::BTreeMap<String, Quantity> {
    list.iter().map(|&(name, amount)| (name.to_owned(), Quantity(amount.to_owned()))).collect()
}

fn offering(situation: &mut Situation, virtual_capacity: &[(&str, &str)]) {
    let class = situation.class.get_or_insert_with(MachineClass::default);
    class.node_template = Some(ClassNodeTemplate {
        virtual_capacity: amounts(virtual_capacity),
        ..ClassNodeTemplate::default()
    });
}

fn capacity_patch(plan: &MachinePlan) -> &NodeStatusPatch {
    plan.actions
        .iter()
        .find_map(|action| match action {
            MachineAction::PatchNodeStatus(patch) => Some(patch),
            _ => None,
        })
        .unwrap_or_else(|| panic!("the node's status is not patched: {plan:?}"))
}

#[test]
fn virtual_capacity_comes_and_goes_in_one_write_with_its_annotation() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.node.as_mut().unwrap().status.capacity = amounts(&[("cpu", "4")]);
    offering(&mut situation, &[("example.com/license", "2"), ("example.com/port", "1Ki")]);
    let plan = situation.plan(5);
    assert_eq!(names(&plan), ["PatchNodeStatus"]);
    assert_eq!(capacity_patch(&plan).capacity.len(), 2);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(6)), [""; 0]);
    offering(&mut situation, &[("example.com/port", "8")]);
    let plan = situation.plan(7);
    let changes: Vec<(&str, Option<&str>)> = capacity_patch(&plan)
        .capacity
        .iter()
        .map(|(name, amount)| (name.as_str(), amount.as_ref().map(|amount| amount.0.as_str())))
        .collect();
    assert_eq!(changes, [("example.com/license", None), ("example.com/port", Some("8"))]);
    situation.obey(&plan);
    offering(&mut situation, &[]);
    let plan = situation.plan(8);
    assert_eq!(capacity_patch(&plan).annotations[annotations::LAST_APPLIED_VIRTUAL_CAPACITY], None);
    situation.obey(&plan);
    let node = situation.node.as_ref().unwrap();
    assert_eq!(node.status.capacity, amounts(&[("cpu", "4")]), "what the kubelet reports is not ours");
    assert_eq!(names(&situation.plan(9)), [""; 0]);
}

#[test]
fn an_amount_that_the_api_server_words_in_its_own_way_never_costs_a_second_write() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    offering(&mut situation, &[("example.com/license", "2000m")]);
    let plan = situation.plan(5);
    situation.obey(&plan);
    let node = situation.node.as_mut().unwrap();
    node.status.capacity = amounts(&[("example.com/license", "2")]);
    assert_eq!(names(&situation.plan(6)), [""; 0]);
    let node = situation.node.as_mut().unwrap();
    node.status.capacity = amounts(&[("example.com/license", "0")]);
    assert_eq!(names(&situation.plan(7)), ["PatchNodeStatus"], "a kubelet that restarts takes it away");
}

#[test]
fn a_class_that_is_missing_takes_no_capacity_away() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    offering(&mut situation, &[("example.com/license", "2")]);
    let plan = situation.plan(5);
    situation.obey(&plan);
    situation.class = None;
    assert_eq!(names(&situation.plan(6)), [""; 0]);
}

/// A machine with a node, each with an id of its own wording, and what is done about it.
fn reworded(wording: ProviderIdWording, own: &str, nodes: &str) -> (Situation, MachinePlan) {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.settings.provider_id = wording;
    own.clone_into(&mut situation.machine.spec.provider_id);
    nodes.clone_into(&mut situation.node.as_mut().unwrap().spec.provider_id);
    let plan = situation.plan(5);
    (situation, plan)
}

#[test]
fn a_machine_takes_up_its_nodes_wording_of_the_provider_id_only_when_asked_to() {
    let (own, nodes) = ("aws:///eu-west-1/i-1", "aws:///eu-west-1a/i-1");
    let (mut situation, plan) = reworded(ProviderIdWording::Node, own, nodes);
    assert_eq!(names(&plan), ["PatchMachine"]);
    situation.obey(&plan);
    assert_eq!(situation.machine.spec.provider_id, nodes);
    assert_eq!(names(&situation.plan(6)), [""; 0], "once, and no more");
    assert_eq!(names(&reworded(ProviderIdWording::Provider, own, nodes).1), [""; 0]);
}

#[test]
fn the_provider_id_of_another_vm_or_of_nobody_is_never_taken_up() {
    for nodes in ["aws:///eu-west-1a/i-2", "", "k3s://m"] {
        let (_, plan) = reworded(ProviderIdWording::Node, "aws:///eu-west-1/i-1", nodes);
        assert_eq!(names(&plan), [""; 0], "{nodes}");
    }
}
