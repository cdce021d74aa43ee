//! What is remembered between the calls of one creation or deletion: the cloud's order for it.

use millwright_provider::{MachineView, ProviderState};

const CREATION: &str = "creation ";
const DELETION: &str = "deletion ";
/// The cloud's own are far shorter.
const LONGEST_ID: usize = 64;

/// The order that goes on. A text that can not be read counts as none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    #[default]
    Nothing,
    Creation {
        order: String,
    },
    Deletion {
        order: String,
    },
}

impl Progress {
    pub(crate) fn of(machine: &MachineView) -> Self {
        let text = machine.state.as_ref().map_or("", |state| state.as_str());
        // It becomes part of a URL, and the status of a machine has more authors than this program.
        let order = |prefix| text.strip_prefix(prefix).filter(|id| is_order(id)).map(str::to_owned);
        match (order(CREATION), order(DELETION)) {
            (Some(order), _) => Self::Creation { order },
            (_, Some(order)) => Self::Deletion { order },
            (None, None) => Self::Nothing,
        }
    }

    pub(crate) fn state(&self) -> ProviderState {
        let text = match self {
            Self::Creation { order } if is_order(order) => format!("{CREATION}{order}"),
            Self::Deletion { order } if is_order(order) => format!("{DELETION}{order}"),
            Self::Nothing | Self::Creation { .. } | Self::Deletion { .. } => String::new(),
        };
        ProviderState::new(text).expect("an id of at most 64 characters is far below the limit")
    }
}

fn is_order(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= LONGEST_ID
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Progress {
        let state = ProviderState::new(text).ok();
        Progress::of(&MachineView { state, ..MachineView::default() })
    }

    #[test]
    fn what_is_kept_is_read_back_and_garbage_is_none() {
        let order = || "ord-0f".to_owned();
        for progress in
            [Progress::Nothing, Progress::Creation { order: order() }, Progress::Deletion { order: order() }]
        {
            assert_eq!(read(progress.state().as_str()), progress);
        }
        for text in ["ord-0f", "creation ", "creation ../vms/i-1", "deletion a b", "{}"] {
            assert_eq!(read(text), Progress::Nothing, "{text}");
        }
        let endless = Progress::Creation { order: "a".repeat(5000) };
        assert_eq!(endless.state().as_str(), "");
    }
}
