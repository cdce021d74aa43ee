//! Time in which nobody could see ends nobody's patience.

use super::desk::{Desk, ending};
use crate::fixtures::pod::pod;
use crate::fixtures::time::at;

#[test]
fn a_pod_whose_end_fell_into_a_blind_time_is_not_called_overdue_at_once() {
    let web = pod("web");
    let mut desk = Desk::with(&[ending(&web, 30)]);
    desk.trusted_since = at(500);
    for (second, is_overdue) in [(500, false), (530, false), (531, true)] {
        desk.see(&[ending(&web, 30)], second);
        assert_eq!(desk.asks(second), [""; 0], "its kubelet could not say that it ended");
        assert_eq!(desk.says(second).contains("should have ended"), is_overdue, "{}", desk.says(second));
    }
}

#[test]
fn a_volume_gets_its_whole_time_to_be_detached_after_a_blind_time() {
    let db = pod("db");
    let mut desk = Desk::with(std::slice::from_ref(&db));
    desk.volumes_of(&db, &["a"]);
    desk.accepted(&db, 0);
    desk.see(&[], 100);
    desk.trusted_since = at(500);
    desk.see(&[], 500);
    assert!(desk.says(500).contains("waits to be detached until 2027-01-15T08:10:20Z"), "{}", desk.says(500));
    desk.see(&[], 619);
    assert!(desk.says(619).contains("waits to be detached"));
    assert!(matches!(desk.plan(620), millwright_decide::drain::DrainProgress::Done { .. }));
}

#[test]
fn a_blind_time_is_no_patience_with_a_disruption_budget() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    desk.settings.max_evict_retries = 3;
    desk.blocked(&web, 0);
    desk.trusted_since = at(500);
    desk.see(std::slice::from_ref(&web), 500);
    assert_eq!(desk.asks(500), ["web"], "it was asked once");
    assert_eq!(desk.asks(559), ["web"]);
    assert_eq!(desk.asks(560), ["web!"]);
}
