//! What a rule says, for who met its name in a message.

use std::io::Write;

use millwright_admission::suggestion;
use millwright_provider::Rule;

use crate::run::RunError;
use crate::{Exit, report, rules};

/// Prints a rule, or the names of all.
pub(crate) fn explain(id: Option<&str>, out: &mut dyn Write) -> Result<Exit, RunError> {
    let Some(id) = id else {
        for rule in rules::all() {
            writeln!(out, "{}", rule.id)?;
        }
        return Ok(Exit::Clean);
    };
    let Some(rule) = rules::all().find(|rule| rule.id.as_str() == id) else {
        let near = suggestion(id, rules::all().map(|rule| rule.id.as_str()));
        return Err(RunError::NoRule { rule: id.to_owned(), near });
    };
    let Rule { id, severity, at, says } = rule;
    writeln!(out, "{id} ({}; {at})\n\n{says}", report::severity(*severity))?;
    Ok(Exit::Clean)
}
