//! What the Secret holds after a step. Here keys are made; who writes them down is the caller.

use jiff::Timestamp;

use super::authority::{Authority, MakeError};
use super::content::Content;
use super::pair::Trust;
use super::server_names::ServerNames;
use super::step::Step;
use super::times::Times;

/// The content that `step` makes of `content`; `None` when the step changes nothing in the Secret.
pub(crate) fn carry_out(
    step: &Step,
    content: Option<&Content>,
    names: &ServerNames,
    times: Times,
    now: Timestamp,
) -> Result<Option<Content>, MakeError> {
    let mut next = content.cloned().unwrap_or_default();
    match step {
        Step::Publish | Step::Rest(_) => return Ok(None),
        Step::Begin { others, serving, .. } => {
            let authority = Authority::generate(now, times.authority)?;
            let (serving, issued) = match serving {
                Some(pair) => (Some(pair.clone()), next.issued),
                // Nobody trusts anything, so nothing is served that could be made worse.
                None if others.is_empty() => {
                    (Some(authority.issue(names, now, times.certificate)?), Some(now))
                }
                None => (None, None),
            };
            next = Content {
                authority: Some(authority),
                others: others.clone(),
                serving,
                published: None,
                issued,
            };
        }
        Step::Recall { others } => (next.others, next.published) = (others.clone(), None),
        Step::Unmark => next.published = None,
        Step::Mark => {
            let past = |time: Option<Timestamp>| time.filter(|time| *time <= now).or(Some(now));
            (next.published, next.issued) = (past(next.published), past(next.issued));
        }
        Step::Restore(pair) => (next.serving, next.issued) = (Some(pair.clone()), Some(now)),
        Step::Issue => {
            let Some(authority) = &next.authority else { return Ok(None) };
            // A renewal by the same CA does not put off the end of those before it.
            let is_renewal = next
                .serving
                .as_ref()
                .is_some_and(|old| old.trust([authority.anchor()], names, now) == Trust::Full);
            next.serving = Some(authority.issue(names, now, times.certificate)?);
            next.issued = next.issued.filter(|_| is_renewal).or(Some(now));
        }
        Step::Retire => (next.others, next.published) = (Vec::new(), None),
    }
    Ok(Some(next))
}
