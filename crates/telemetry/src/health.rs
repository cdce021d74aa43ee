//! The checks of a process, by the question they answer. Shown by `server`; judged by whoever made them.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::Check;

/// What a probe asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Must the process be restarted? Only for what a restart would cure.
    Alive,
    /// Should it get work now?
    Ready,
}

/// A check that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Name of the check.
    pub check: &'static str,
    /// Why it does not hold.
    pub reason: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.reason)
    }
}

/// Named checks of one process. Clones share them.
#[derive(Clone, Default)]
pub struct Health(Arc<RwLock<Vec<Named>>>);

struct Named {
    question: Question,
    name: &'static str,
    check: Box<dyn Check>,
}

impl Health {
    /// Adds a check; the process is alive or ready only while all of that question hold.
    pub fn add(&self, question: Question, name: &'static str, check: impl Check + 'static) {
        let named = Named { question, name, check: Box::new(check) };
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(named);
    }

    /// All checks of a question that do not hold, in the order in which they were added.
    ///
    /// # Errors
    /// When there is at least one.
    pub fn ask(&self, question: Question) -> Result<(), Vec<Failure>> {
        let checks = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let failures: Vec<Failure> = checks
            .iter()
            .filter(|named| named.question == question)
            .filter_map(|named| named.check.state().err().map(|reason| Failure { check: named.name, reason }))
            .collect();
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks = self.0.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(checks.iter().map(|named| (named.question, named.name))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Gate;

    #[test]
    fn every_failing_check_of_the_question_is_named_and_no_other() {
        let health = Health::default();
        let synced = Gate::shut_until("the caches are not filled yet");
        health.add(Question::Ready, "caches", synced.clone());
        health.add(Question::Ready, "certificate", || Err("expired".to_owned()));
        health.add(Question::Ready, "fine", || Ok(()));

        assert_eq!(health.ask(Question::Alive), Ok(()));
        let told = |failures: Vec<Failure>| failures.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            told(health.ask(Question::Ready).unwrap_err()),
            ["caches: the caches are not filled yet", "certificate: expired"]
        );

        synced.open();
        assert_eq!(told(health.ask(Question::Ready).unwrap_err()), ["certificate: expired"]);
        synced.shut("the watch broke");
        assert_eq!(told(health.ask(Question::Ready).unwrap_err()).len(), 2);
    }
}
