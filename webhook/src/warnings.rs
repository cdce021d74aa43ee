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
        let text = shortened(&warning);
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

/// As much of a warning as may travel, with the rule's name that stands in brackets at its end: that is what it is looked up by.
fn shortened(warning: &str) -> String {
    let plain = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    if warning.chars().count() <= LONGEST {
        return plain(warning);
    }
    let rule = warning.rfind(" [").map(|start| &warning[start..]);
    let rule =
        rule.filter(|rule| rule.ends_with(']') && rule.chars().count() < LONGEST / 2).unwrap_or_default();
    let room = LONGEST - rule.chars().count();
    let kept: String = warning.chars().take(room).collect();
    plain(&format!("{kept}…{rule}"))
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

    #[test]
    fn a_warning_that_is_cut_keeps_the_name_of_its_rule() {
        let [text] = &fitted(vec![format!("{} [field-unknown]", "ö".repeat(400))])[..] else { panic!() };
        assert!(text.ends_with("ö… [field-unknown]"), "{text}");
        assert!(text.chars().count() <= 256, "{}", text.chars().count());
    }
}
