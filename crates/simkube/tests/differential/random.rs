//! Random sequences of requests on a few objects of two kinds; the same in every run.

use serde_json::{Value, json};

use crate::cases::{CONFIG_MAPS, MACHINES, config_map, machine, with};
use crate::step::{Step, delete, delete_with, get, json_patch, merge, post, put, watch};

pub(crate) const SEEDS: std::ops::Range<u64> = 1..13;
const LENGTH: usize = 100;

/// Answers that later requests refer to.
const SAVED: [&str; 2] = ["one", "two"];
const FINALIZERS: [&str; 2] = ["test.io/one", "test.io/two"];

struct Dice(u64);

impl Dice {
    /// A number below `sides`: xorshift, which needs no crate and never changes.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

pub(crate) fn steps(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut steps = vec![get(MACHINES).save("machines"), get(CONFIG_MAPS).save("maps")];
    steps.extend(SAVED.map(|name| get(MACHINES).save(name)));
    for _ in 0..LENGTH {
        let step = step(&mut dice);
        let saves = dice.roll(3) == 0 && step.method != "DELETE";
        steps.push(if saves { step.save(dice.pick(&SAVED)) } else { step });
    }
    steps.extend([
        get(MACHINES),
        get(CONFIG_MAPS),
        watch(MACHINES, "&resourceVersion=$rv:machines;"),
        watch(CONFIG_MAPS, "&resourceVersion=$rv:maps;"),
        watch(MACHINES, "&resourceVersion=$rv:machines;&labelSelector=l%3D1"),
    ]);
    steps
}

fn step(dice: &mut Dice) -> Step {
    let name = dice.pick(&["a", "b"]);
    let is_custom = dice.roll(3) > 0;
    let (collection, object) =
        if is_custom { (MACHINES, machine(name)) } else { (CONFIG_MAPS, config_map(name)) };
    let path = format!("{collection}/{name}");
    match dice.roll(16) {
        0..=2 => post(collection, finalized(object, dice)),
        3 => put(path, locked(labelled(object, dice), dice)),
        4 => put(path, locked(finalized(object, dice), dice)),
        5 => merge(path, json!({ "metadata": { "labels": { "l": dice.pick(&["1", "2"]) } } })),
        6 => merge(path, json!({ "metadata": { "finalizers": finalizers(dice) } })),
        7 => merge(
            path,
            locked(json!({ "metadata": { "annotations": { "x": dice.pick(&["1", "2"]) } } }), dice),
        ),
        8 if is_custom => merge(path, json!({ "spec": { "providerID": dice.pick(&["p", "q"]) } })),
        8 => merge(path, json!({ "data": { "k": dice.pick(&["v", "w"]) } })),
        9 => {
            merge(format!("{path}/status"), json!({ "status": { "lastKnownState": dice.pick(&["n", "m"]) } }))
        }
        10 => {
            let (wanted, new) = (dice.pick(&["1", "2"]), dice.pick(&["1", "2", "3"]));
            json_patch(
                path,
                json!([{ "op": "test", "path": "/metadata/labels/l", "value": wanted }, { "op": "replace", "path": "/metadata/labels/l", "value": new }]),
            )
        }
        11 => delete(path),
        12 => {
            delete_with(path, json!({ "preconditions": { "uid": format!("$uid:{};", dice.pick(&SAVED)) } }))
        }
        13 => {
            let version = format!("$rv:{};", dice.pick(&SAVED));
            delete_with(path, json!({ "preconditions": { "resourceVersion": version } }))
        }
        14 => delete_with(
            path,
            json!({ "propagationPolicy": dice.pick(&["Orphan", "Foreground", "Background"]) }),
        ),
        _ => {
            if !is_custom {
                return put(path, locked(labelled(finalized(object, dice), dice), dice));
            }
            // Not a PUT: fields that it left out would still be taken from the managed fields, which simkube has not.
            let status = json!({ "status": { "lastKnownState": dice.pick(&["n", "m"]) }, "metadata": {} });
            merge(format!("{path}/status"), locked(status, dice))
        }
    }
}

fn finalizers(dice: &mut Dice) -> Value {
    match dice.roll(4) {
        0 => Value::Null,
        1 => json!(FINALIZERS),
        number => json!([FINALIZERS[number - 2]]),
    }
}

fn finalized(object: Value, dice: &mut Dice) -> Value {
    let finalizers = finalizers(dice);
    with(object, "finalizers", finalizers)
}

fn labelled(object: Value, dice: &mut Dice) -> Value {
    with(object, "labels", json!({ "l": dice.pick(&["1", "2"]) }))
}

fn locked(object: Value, dice: &mut Dice) -> Value {
    match dice.roll(3) {
        0 => object,
        _ => with(object, "resourceVersion", json!(format!("$rv:{};", dice.pick(&SAVED)))),
    }
}
