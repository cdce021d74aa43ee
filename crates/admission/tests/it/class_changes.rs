//! What a class may change, and when it may go.

use millwright_admission::{Change, Facts, Kind, NoFacts, Request, Standing, Verdict, validate};
use serde_json::{Value, json};

use crate::ask::{lines, request, rulebook_of_two, told};
use crate::neighbours::Neighbours;
use crate::objects::{class, with, without};

const FINALIZER: &str = "machine.sapcloud.io/machine-controller-manager";

fn judged(change: Change<'_>, facts: &dyn Facts) -> Verdict {
    let asked = Request { name: "small", ..request(Kind::MachineClass, change) };
    validate(&asked, facts, &rulebook_of_two())
}

fn kept() -> Value {
    with(class(), "/metadata/finalizers", json!([FINALIZER]))
}

#[test]
fn a_class_that_nobody_uses_may_become_anything() {
    let new = with(with(kept(), "/provider", json!("other")), "/providerSpec", json!({}));
    let nobody = Neighbours::default().nobody_uses_a_class();
    let only_wanted = Neighbours::default().user(Kind::MachineDeployment, "pool", Standing::There);
    let (kept, bare) = (kept(), class());
    for (old, facts) in [(&kept, &nobody as &dyn Facts), (&kept, &only_wanted), (&bare, &NoFacts)] {
        let verdict = judged(Change::Update { old, new: &new }, facts);
        assert_eq!(verdict, Verdict::default());
    }
}

#[test]
fn a_refused_change_names_who_uses_the_class_as_far_as_a_line_reaches() {
    let facts = (1..=8).fold(Neighbours::default(), |facts, number| {
        facts.user(Kind::Machine, &format!("m-{number}"), Standing::There)
    });
    let new = with(kept(), "/provider", json!("other"));
    assert_eq!(
        lines(&judged(Change::Update { old: &kept(), new: &new }, &facts).errors),
        [
            "provider: may not change from \"cloud\": Machine \"m-1\", Machine \"m-2\", Machine \"m-3\", Machine \"m-4\", Machine \
             \"m-5\" and 3 more would be looked for in another cloud; make a new class"
        ]
    );
}

#[test]
fn a_provider_that_nobody_knew_can_be_corrected_in_use() {
    let old = with(kept(), "/provider", json!("clout"));
    assert_eq!(judged(Change::Update { old: &old, new: &kept() }, &NoFacts), Verdict::default());
}

#[test]
fn a_secret_that_is_not_needed_may_be_let_go() {
    let old = with(kept(), "/credentialsSecretRef", json!({"name": "shared"}));
    let facts = Neighbours::default()
        .user(Kind::Machine, "m", Standing::There)
        .secret("cloud-secret", &["ACCESS_KEY", "userData"]);
    assert_eq!(judged(Change::Update { old: &old, new: &kept() }, &facts), Verdict::default());
    let other = with(old.clone(), "/credentialsSecretRef/name", json!("rotated"));
    assert_eq!(judged(Change::Update { old: &old, new: &other }, &NoFacts), Verdict::default());
}

#[test]
fn keys_may_be_spread_over_both_secrets_and_a_missing_one_says_what_stands_there_instead() {
    let both = with(class(), "/credentialsSecretRef", json!({"name": "shared"}));
    let good = Neighbours::default().secret("cloud-secret", &["userData"]).secret("shared", &["accessKey"]);
    assert_eq!(judged(Change::Create { new: &both }, &good), Verdict::default());
    let bad = Neighbours::default().secret("cloud-secret", &["userdata"]).secret("shared", &["accessKey"]);
    assert_eq!(
        lines(&judged(Change::Create { new: &both }, &bad).errors),
        [
            "secretRef: Secret \"cloud-secret\" and that of credentialsSecretRef have no key userData, or nothing in it: what a VM \
             starts with; add it to the Secret first; is it \"userdata\"?"
        ]
    );
    let half = Neighbours::default().secret("cloud-secret", &[]);
    assert_eq!(judged(Change::Create { new: &both }, &half), Verdict::default());
}

#[test]
fn a_secret_that_lost_its_key_does_not_hold_up_an_unrelated_change_of_the_class() {
    let empty = Neighbours::default().secret("cloud-secret", &[]);
    let new = with(class(), "/providerSpec/diskGiB", json!(50));
    let verdict = judged(Change::Update { old: &class(), new: &new }, &empty);
    assert!(verdict.errors.is_empty());
    assert_eq!(verdict.warnings.len(), 2, "{:?}", verdict.warnings);
    assert!(told(&verdict.warnings)[0].ends_with("(was so before) [secret-keys]"), "{:?}", verdict.warnings);
}

#[test]
fn a_class_in_use_may_not_be_deleted_and_says_who_uses_it() {
    let facts = Neighbours::default()
        .user(Kind::MachineDeployment, "pool", Standing::There)
        .user(Kind::Machine, "gone", Standing::Deleting)
        .user(Kind::Machine, "m", Standing::There);
    assert_eq!(
        lines(&judged(Change::Delete { old: &class() }, &facts).errors),
        [
            "metadata.name: is used by MachineDeployment \"pool\", Machine \"m\"; their machines could be neither made nor replaced. \
             Delete them first, or let their templates name another class"
        ]
    );
}

#[test]
fn a_class_may_go_when_its_users_go_too_or_are_not_known_and_every_other_object_at_any_time() {
    let going = Neighbours::default().user(Kind::Machine, "gone", Standing::Deleting);
    let nobody = Neighbours::default().nobody_uses_a_class();
    for facts in [&going as &dyn Facts, &nobody, &NoFacts] {
        assert_eq!(judged(Change::Delete { old: &class() }, facts), Verdict::default());
    }
    let used = Neighbours::default().user(Kind::Machine, "m", Standing::There);
    let already = with(class(), "/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    assert_eq!(judged(Change::Delete { old: &already }, &used), Verdict::default());
    for kind in [Kind::Machine, Kind::MachineSet, Kind::MachineDeployment] {
        let asked = request(kind, Change::Delete { old: &already });
        assert_eq!(validate(&asked, &used, &rulebook_of_two()), Verdict::default());
    }
    assert_eq!(judged(Change::Delete { old: &without(class(), "/metadata") }, &nobody), Verdict::default());
}
