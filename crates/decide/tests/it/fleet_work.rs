//! Who is woken, and when, by what others make of the fleet's bound.

use millwright_api::IntOrPercent;
use millwright_decide::fleet_bound::{Appetite, FleetWork, InWork, PlaceUse};

fn asked(taken: i32, lacking: i32) -> PlaceUse {
    PlaceUse::Asked { taken, lacking, appetite: Appetite::Portions, sick: 0 }
}

fn fleet() -> FleetWork {
    let mut work = FleetWork::default();
    for name in ["a", "b"] {
        work.count(name, 10, InWork::default());
    }
    work
}

fn ask(work: &mut FleetWork, name: &str, made: PlaceUse) -> Vec<String> {
    let _ = work.places(name, Some(&IntOrPercent::Int(2)));
    work.note(name, made);
    work.take_woken()
}

#[test]
fn a_rollout_whose_writes_are_refused_again_and_again_does_not_wake_itself_past_its_back_off() {
    let mut work = fleet();
    for _ in 0..3 {
        // Its writes fail each time: what it was promised is never settled, and promised anew.
        assert_eq!(ask(&mut work, "a", asked(2, 3)), [""; 0]);
    }
    assert_eq!(ask(&mut work, "b", asked(0, 5)), [""; 0]);
    assert_eq!(ask(&mut work, "a", asked(2, 3)), [""; 0], "b gains nothing by it");
}

#[test]
fn whoever_waits_is_woken_when_a_promise_is_given_up() {
    let mut work = fleet();
    ask(&mut work, "a", asked(2, 0));
    ask(&mut work, "b", asked(0, 5));
    assert_eq!(ask(&mut work, "a", asked(1, 0)), ["b"], "a part of it");
    assert_eq!(ask(&mut work, "a", asked(0, 0)), ["b"], "the rest");
    ask(&mut work, "a", asked(2, 0));
    assert_eq!(ask(&mut work, "a", PlaceUse::NotAsked), ["b"], "with the whole rollout");
    ask(&mut work, "a", asked(2, 0));
    work.settle("a");
    assert_eq!(work.take_woken(), ["b"], "because it shows");
}
