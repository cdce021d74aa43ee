//! A preview in a few lines for people.

use super::{End, MachineCount, Preview, Stillness};

/// The longest line that an API server passes on as a warning.
const LINE: usize = 255;
/// The longest name of a class that is spelt out.
const NAME: usize = 40;
/// Classes that are spelt out.
const CLASSES: usize = 2;

impl Preview {
    /// What would happen, the most important first; nothing when nothing would. Each line is shorter than 256 characters.
    #[must_use]
    pub fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.deeds());
        lines.extend(self.hold());
        lines.extend(self.end());
        let fields: Vec<&str> = self.without_rollout().collect();
        if self.rewritten > 0 {
            let machines = machines(self.rewritten);
            let what =
                if fields.is_empty() { "Fields of the template".to_owned() } else { fields.join(", ") };
            lines.push(format!("{what}: written to {machines} without replacing any."));
        }
        lines.into_iter().map(|line| shortened(&line, LINE)).collect()
    }

    fn deeds(&self) -> Option<String> {
        let made = MachineCount::sum(&self.created);
        let replaced = MachineCount::sum(&self.replaced);
        let mut deeds = Vec::new();
        if replaced > 0 {
            deeds.push(format!("replaces {}", counted(&self.replaced)));
        }
        if !self.updated_in_place.is_empty() {
            deeds.push(format!("updates {} in place", counted(&self.updated_in_place)));
        }
        if made > replaced {
            deeds.push(format!(
                "creates {}{}",
                if replaced > 0 { "another " } else { "" },
                machines(made - replaced)
            ));
        }
        if !self.deleted.is_empty() {
            deeds.push(format!("deletes {}", counted(&self.deleted)));
        }
        let last = deeds.pop()?;
        let deeds = if deeds.is_empty() { last } else { format!("{} and {last}", deeds.join(", ")) };
        let steps = match self.steps.len() {
            1 => "1 step".to_owned(),
            many => format!("{many} steps"),
        };
        let nodes = match self.most_unavailable {
            0 => "no node is missing in between".to_owned(),
            1 => "at most 1 node is missing at a time".to_owned(),
            many => format!("at most {many} nodes are missing at a time"),
        };
        let most = machines(self.most_machines);
        Some(match &self.end {
            End::Unfinished { left, steps: all } => {
                let reached = replaced + MachineCount::sum(&self.updated_in_place) + left;
                format!(
                    "This change reaches {} in about {all} steps. In the first {} it {deeds}; at most {most} at a time, {nodes}.",
                    machines(reached),
                    self.steps.len()
                )
            }
            _ => format!(
                "This change {deeds} in {steps}, {} kept; at most {most} at a time, {nodes}.",
                self.kept
            ),
        })
    }

    fn hold(&self) -> Option<String> {
        let message = match (&self.stillness, &self.held) {
            (Some(Stillness::Held { message }), _) | (None, Some(message)) => message,
            _ => return None,
        };
        Some(format!("It waits first: {message}"))
    }

    fn end(&self) -> Option<String> {
        match &self.end {
            End::Unfinished { .. } => None,
            End::Endless => Some(
                "It does not come to rest: the same steps are taken again and again. Look at the deployment's conditions first."
                    .to_owned(),
            ),
            End::Rest => match self.stillness.as_ref()? {
                Stillness::Held { .. } => None,
                Stillness::Paused => Some(
                    "Nothing is replaced while spec.paused is true; scaling works.".to_owned(),
                ),
                Stillness::Unusable { message } => Some(format!("Nothing is done: {message}")),
                Stillness::UnknownStrategy { strategy } => Some(format!(
                    "Nothing is replaced: the strategy {:?} is not known. Use RollingUpdate, Recreate or InPlaceUpdate.",
                    shortened(strategy, NAME)
                )),
                Stillness::ChoiceOfNodes => Some(
                    "Nodes are updated as you choose them: label each with node.machine.sapcloud.io/selected-for-update=true."
                        .to_owned(),
                ),
                Stillness::Unavailable { machines: count } => Some(format!(
                    "Then it stands still until {} that are not available now run, fail or are deleted.",
                    machines(*count)
                )),
                Stillness::Other => {
                    Some("Then it stands still; the deployment's conditions say why.".to_owned())
                }
            },
        }
    }
}

fn machines(count: usize) -> String {
    if count == 1 { "1 machine".to_owned() } else { format!("{count} machines") }
}

/// `3 machines (2 of class a, 1 of class b)`
fn counted(counts: &[MachineCount]) -> String {
    let mut classes: Vec<String> = counts
        .iter()
        .take(CLASSES)
        .map(|known| format!("{} of class {}", known.count, shortened(&known.class, NAME)))
        .collect();
    let others: usize = counts.iter().skip(CLASSES).map(|known| known.count).sum();
    if others > 0 {
        classes.push(format!("{others} of others"));
    }
    format!("{} ({})", machines(MachineCount::sum(counts)), classes.join(", "))
}

fn shortened(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length - 1).collect();
    format!("{kept}…")
}
