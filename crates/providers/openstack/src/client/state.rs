//! What a creation remembers between its calls.

use millwright_api::MachineCode;
use millwright_provider::{ProviderError, ProviderState};
use serde::{Deserialize, Serialize};

/// Where a creation is. What can't be read is a creation that begins: everything made before is found again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    pub(crate) v: u8,
    /// The server that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<String>,
    /// The volume that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) volume: Option<String>,
}

impl State {
    pub(crate) fn read(state: Option<&ProviderState>) -> Self {
        state.and_then(|state| serde_json::from_str(state.as_str()).ok()).unwrap_or_default()
    }

    pub(crate) fn write(&self) -> Result<ProviderState, ProviderError> {
        let text = serde_json::to_string(&Self { v: 1, ..self.clone() });
        let text = text.map_err(|error| ProviderError::new(MachineCode::Internal, error.to_string()))?;
        ProviderState::new(text).map_err(|error| ProviderError::new(MachineCode::Internal, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_back_and_an_odd_one_is_a_beginning() {
        let state = State { v: 1, server: Some("a".into()), volume: None };
        assert_eq!(State::read(Some(&state.write().unwrap())), state);
        let odd = ProviderState::new("{\"server\": 7}").unwrap();
        assert_eq!(State::read(Some(&odd)), State::default());
        assert_eq!(State::read(None), State::default());
    }
}
