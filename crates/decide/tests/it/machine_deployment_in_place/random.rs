//! Users who change their mind all the time, and crashes in between: whatever they do, it ends well.

use proptest::prelude::*;

use super::world::{World, in_place};

#[derive(Clone, Copy, Debug)]
enum Event {
    Scale(i32),
    Want(&'static str),
    Pause,
    Resume,
    Crash,
}

fn event() -> impl Strategy<Value = (usize, Event)> {
    let event = prop_oneof![
        (0..5_i32).prop_map(Event::Scale),
        prop::sample::select(vec!["small", "large", "huge"]).prop_map(Event::Want),
        Just(Event::Pause),
        Just(Event::Resume),
        Just(Event::Crash),
    ];
    (0..25_usize, event)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_script_ends_with_what_is_wanted_and_breaks_no_bound_on_the_way(
        replicas in 0..4_i32,
        surge in 0..3_i32,
        unavailable in 0..3_i32,
        script in prop::collection::vec(event(), 1..8),
    ) {
        let mut world = World::settled(in_place(replicas, "Auto", surge, unavailable));
        world.want("large");
        for (rounds, event) in script {
            world.rounds(rounds);
            match event {
                Event::Scale(replicas) => world.scale(replicas),
                Event::Want(class) => world.want(class),
                Event::Pause => world.pause(true),
                Event::Resume => world.pause(false),
                Event::Crash => world.dies_after = Some(world.actions + 1),
            }
        }
        world.pause(false);
        world.until_rest();
        let class = world.deployment.spec.template.spec.class.name.clone();
        world.must_be_done(&class);
    }
}
