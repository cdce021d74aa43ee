//! kubectl refuses a class with three mistakes and names all three fields.

use std::time::Instant;

use crate::{
    demo::{error::DemoError, stage::Stage},
    kubectl::{self, Said, command_line},
};

const FIELDS: [&str; 3] = ["providerSpec.endpoint", "providerSpec.diskGiB", "providerSpec.tags"];

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    let start = Instant::now();
    let file = stage.samples.bad_class.display().to_string();
    let arguments = ["apply", "-f", &file];
    stage.screen.command(&command_line(&arguments));
    let Said { status, stdout, stderr } = kubectl::run(&stage.testbed, &arguments).await?;
    stage.screen.text(&format!("{stdout}{stderr}"));
    if status.success() {
        return Err(wrong("kubectl should have refused the class", "its exit code is 0"));
    }
    if let Some(objection) = objection(&stderr) {
        return Err(wrong("the refusal should name three errors in three fields", &objection));
    }
    let stored = kubectl::must(&stage.testbed, &["get", "machineclasses", "-o", "name"]).await?;
    if stored.contains("workers-bad") {
        return Err(wrong("nothing should be stored of a refused class", &stored));
    }
    stage.screen.seen("three errors, three fields, nothing stored", start.elapsed());
    Ok(())
}

fn wrong(what: &str, details: &str) -> DemoError {
    DemoError::Wrong { what: what.to_owned(), details: details.to_owned() }
}

/// What is missing in kubectl's complaint, if anything is.
fn objection(complaint: &str) -> Option<String> {
    let errors: Vec<_> = complaint.lines().filter_map(|line| line.strip_prefix("* ")).collect();
    if errors.len() != FIELDS.len() {
        return Some(format!("there are {} lines with errors", errors.len()));
    }
    let missing = FIELDS.iter().find(|field| !errors.iter().any(|error| error.starts_with(**field)))?;
    Some(format!("{missing} is not named"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLAINT: &str = "The MachineClass \"workers-bad\" is invalid: \n\
        * providerSpec.endpoint: Invalid value: \"simcloud\": must be a URL\n\
        * providerSpec.diskGiB: Invalid value: 0: must be at least 1\n\
        * providerSpec.tags: Required value: needs a key\n";

    #[test]
    fn three_lines_for_three_fields_are_what_is_wanted() {
        assert_eq!(objection(COMPLAINT), None);
    }

    #[test]
    fn fewer_or_other_errors_are_named() {
        let two: String = COMPLAINT.lines().take(3).map(|line| format!("{line}\n")).collect();
        assert_eq!(objection(&two).as_deref(), Some("there are 2 lines with errors"));
        let other = COMPLAINT.replace("providerSpec.tags", "providerSpec.zone");
        assert_eq!(objection(&other).as_deref(), Some("providerSpec.tags is not named"));
    }
}
