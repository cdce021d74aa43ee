//! Machines counted by their class.

use serde::Serialize;

/// So many machines of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineCount {
    /// Name of the class.
    pub class: String,
    /// How many.
    pub count: usize,
}

impl MachineCount {
    /// Counts classes, in the order in which they come first.
    pub(super) fn of<'a>(classes: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let mut counts: Vec<Self> = Vec::new();
        for class in classes {
            match counts.iter_mut().find(|known| known.class == class) {
                Some(known) => known.count += 1,
                None => counts.push(Self { class: class.to_owned(), count: 1 }),
            }
        }
        counts
    }

    /// All of them.
    #[must_use]
    pub fn sum(counts: &[Self]) -> usize {
        counts.iter().map(|known| known.count).sum()
    }
}
