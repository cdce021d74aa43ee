//! Fits warnings into what the API server passes on: 256 characters each, 4096 in all, no control
//! characters. What does not fit is counted, so that nobody believes to have seen everything.

const LONGEST: usize = 250;
const TOTAL: usize = 4000;

/// The warnings as they can travel, and how many there were beyond.
pub(crate) fn fitted(warnings: Vec<String>) -> Vec<String> {
    let count = warnings.len();
    let mut fitted = Vec::with_capacity(count.min(32));
    let mut room = TOTAL;
    for warning in warnings {
        let mut text: String =
            warning.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.len() < warning.len() {
            text.push('…');
        }
        let Some(left) = room.checked_sub(text.chars().count()) else { break };
        room = left;
        fitted.push(text);
    }
    let missing = count - fitted.len();
    if missing > 0 {
        fitted.push(format!("{missing} more warnings are not shown"));
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_short_warnings_travel_as_they_are() {
        assert_eq!(fitted(vec!["a".into(), "b".into()]), ["a", "b"]);
    }

    #[test]
    fn long_many_and_odd_warnings_are_cut_to_what_the_api_server_passes_on() {
        let fitted = fitted(vec!["ä\n".repeat(200); 100]);
        assert!(fitted.iter().all(|warning| warning.chars().count() <= 256), "{fitted:?}");
        assert!(fitted.iter().map(|warning| warning.chars().count()).sum::<usize>() <= 4096);
        assert!(!fitted.concat().contains('\n'));
        let shown = fitted.len() - 1;
        assert_eq!(fitted[shown], format!("{} more warnings are not shown", 100 - shown));
    }
}
