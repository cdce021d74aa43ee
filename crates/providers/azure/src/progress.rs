//! How far a creation or deletion is: what the provider asks the host to remember.

use std::time::Duration;

use millwright_provider::{MachineView, ProviderState};
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;
/// How soon Azure is asked again when it does not say: what is waited for takes half a minute and more.
const PAUSE: Duration = Duration::from_secs(5);
/// However long Azure would wait, a list shared by many may come sooner.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// Where an operation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Step {
    /// Nothing is under way.
    #[default]
    Begin,
    /// The VM's network interface and disks are being made.
    Parts,
    /// The VM is being made.
    Vm,
    /// The VM, or what it left, is being deleted.
    Death,
}

/// The step, and the address at which Azure says why it failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Going {
    #[serde(rename = "v")]
    version: u32,
    pub(crate) step: Step,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<String>,
}

impl Going {
    pub(crate) fn at(step: Step, operation: Option<String>) -> Self {
        Self { version: VERSION, step, operation }
    }

    /// What the machine remembers; what nobody can read is a beginning.
    pub(crate) fn of(machine: &MachineView) -> Self {
        let known =
            machine.state.as_ref().and_then(|state| serde_json::from_str::<Self>(state.as_str()).ok());
        known.filter(|going| going.version == VERSION).unwrap_or_default()
    }

    /// For the host. An address that is too long is left out: it only makes messages better.
    pub(crate) fn state(&self) -> ProviderState {
        let text = |going: &Self| serde_json::to_string(going).unwrap_or_default();
        ProviderState::new(text(self)).unwrap_or_else(|_| {
            let short = Self { operation: None, ..self.clone() };
            ProviderState::new(text(&short)).expect("a step without an address has a few bytes")
        })
    }
}

/// When to ask again.
pub(crate) fn pause(retry_after: Option<Duration>) -> Duration {
    retry_after.map_or(PAUSE, |wait| wait.clamp(Duration::from_secs(1), LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(state: &str) -> MachineView {
        MachineView { state: ProviderState::new(state).ok(), ..MachineView::default() }
    }

    #[test]
    fn a_state_is_read_back() {
        let going = Going::at(Step::Vm, Some("https://management.azure.com/x".into()));
        assert_eq!(Going::of(&machine(going.state().as_str())), going);
        let endless = Going::at(Step::Vm, Some("x".repeat(5000)));
        assert_eq!(Going::of(&machine(endless.state().as_str())), Going::at(Step::Vm, None));
    }

    #[test]
    fn what_nobody_can_read_is_a_beginning() {
        for state in ["", "{}", "Machine created", r#"{"v":2,"step":"vm"}"#] {
            assert_eq!(Going::of(&machine(state)).step, Step::Begin, "{state}");
        }
    }
}
