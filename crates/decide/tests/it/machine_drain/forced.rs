//! A drain whose time is over.

use millwright_decide::drain::{DrainProgress, EvictionOutcome};

use super::desk::{Desk, asked, done, ending};
use crate::fixtures::pod::pod;
use crate::fixtures::time::at;

#[test]
fn a_forced_drain_deletes_every_pod_once_and_waits_for_none() {
    let (web, late, db) = (pod("web"), pod("late"), pod("db"));
    let mut desk = Desk::with(&[web.clone(), ending(&late, 600), db.clone()]);
    desk.volumes_of(&db, &["a"]);
    desk.accepted(&late, 0);
    let DrainProgress::Going { actions, description, .. } = desk.force(0) else { panic!("pods are left") };
    assert_eq!(asked(&actions), ["web!", "late!", "db!"]);
    assert!(description.contains("Forced: deleting 3 pods"), "{description}");
    for (name, outcome) in [
        ("uid-web", EvictionOutcome::Accepted),
        ("uid-late", EvictionOutcome::Accepted),
        ("uid-db", EvictionOutcome::Failed { message: "forbidden".into() }),
    ] {
        desk.memory.deleted(name, at(1), outcome);
    }
    desk.see(&[web, late, db], 2);
    assert_eq!(desk.force(2), DrainProgress::Done { undetached: vec!["a".into()] });
}

#[test]
fn a_deadline_never_hides_what_is_attached() {
    let mut desk = Desk::with(&[]);
    desk.attach("a");
    assert_eq!(desk.force(0), DrainProgress::Done { undetached: vec!["a".into()] });
    desk.attachments.clear();
    let reported = "kubernetes.io/csi/driver^vol-a".to_owned();
    assert_eq!(desk.force(0), DrainProgress::Done { undetached: vec![reported] });
    desk.detach("a");
    assert_eq!(desk.force(0), done());
}
