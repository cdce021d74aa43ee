//! The faults that are set, and how often each has been met.
//!
//! Every cloud call asks [`Faults::strike`] once; what comes back is already decided.

use std::time::Duration;

use serde::Serialize;

use crate::fault::{Effect, Fault};
use crate::operation::Operation;
use crate::refusal::{Code, Refusal};

/// A fault with its number and counters, as `GET /v1/faults` shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArmedFault {
    /// Its number, for removal.
    pub id: u64,
    /// Matching calls seen so far.
    pub seen: u32,
    /// Calls struck so far.
    pub struck: u32,
    /// The fault as it was set.
    #[serde(flatten)]
    pub fault: Fault,
}

/// What happens to one call.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Strike {
    pub(crate) delay: Duration,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) hang: Option<Duration>,
    pub(crate) list_lag: Option<Duration>,
    pub(crate) leftovers: Leftovers,
    /// How what was accepted ends.
    pub(crate) ending: Option<Refusal>,
}

/// Whether a VM's NIC and disk share its fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Leftovers {
    #[default]
    None,
    Stay,
}

#[derive(Debug, Default)]
pub(crate) struct Faults {
    armed: Vec<ArmedFault>,
    last_id: u64,
}

impl Faults {
    pub(crate) fn arm(&mut self, fault: Fault) -> Result<u64, Refusal> {
        check(&fault)?;
        self.last_id += 1;
        self.armed.push(ArmedFault { id: self.last_id, seen: 0, struck: 0, fault });
        Ok(self.last_id)
    }

    pub(crate) fn disarm(&mut self, id: u64) -> Result<(), Refusal> {
        let before = self.armed.len();
        self.armed.retain(|armed| armed.id != id);
        if self.armed.len() < before { Ok(()) } else { Err(Refusal::not_found("fault", &id.to_string())) }
    }

    pub(crate) fn clear(&mut self) {
        self.armed.clear();
    }

    pub(crate) fn list(&self) -> Vec<ArmedFault> {
        self.armed.clone()
    }

    /// Counts the call against every fault that matches it and adds up what they do.
    pub(crate) fn strike(&mut self, operation: Operation, subjects: &[&str]) -> Strike {
        let mut strike = Strike::default();
        for armed in &mut self.armed {
            let fault = &armed.fault;
            let matches = fault.operation.is_none_or(|wanted| wanted == operation)
                && fault.subject.as_deref().is_none_or(|wanted| subjects.contains(&wanted));
            if !matches {
                continue;
            }
            armed.seen += 1;
            let due =
                armed.seen >= fault.nth && fault.count.is_none_or(|count| armed.seen - fault.nth < count);
            if due {
                armed.struck += 1;
                strike.add(armed.id, &fault.effect);
            }
        }
        strike
    }
}

impl Strike {
    fn add(&mut self, id: u64, effect: &Effect) {
        match effect {
            Effect::Latency { seconds } => self.delay += Duration::from_secs_f64(*seconds),
            Effect::Error { code, message } => {
                let message = message.clone().unwrap_or_else(|| format!("refused by fault {id}"));
                self.refusal = Some(Refusal::new(*code, message));
            }
            Effect::Throttle { retry_after_seconds } => {
                self.refusal = Some(Refusal {
                    retry_after: Some(*retry_after_seconds),
                    ..Refusal::new(Code::Throttled, format!("too many calls (fault {id})"))
                });
            }
            Effect::Hang { seconds } => {
                self.delay += Duration::from_secs_f64(*seconds);
                self.refusal = Some(Refusal::new(Code::DeadlineExceeded, format!("hung by fault {id}")));
            }
            Effect::TimeoutAfterSuccess { seconds } => self.hang = Some(Duration::from_secs_f64(*seconds)),
            Effect::ListLag { seconds } => self.list_lag = Some(Duration::from_secs_f64(*seconds)),
            Effect::FailLater { code, message } => {
                let message =
                    message.clone().unwrap_or_else(|| format!("accepted, and failed by fault {id}"));
                self.ending = Some(Refusal::new(*code, message));
            }
            Effect::LeaveLeftovers => self.leftovers = Leftovers::Stay,
        }
    }
}

fn check(fault: &Fault) -> Result<(), Refusal> {
    if fault.nth == 0 {
        return Err(Refusal::invalid("nth: calls are counted from 1"));
    }
    let (seconds, only_for): (f64, &[Operation]) = match &fault.effect {
        Effect::Latency { seconds } | Effect::Hang { seconds } | Effect::TimeoutAfterSuccess { seconds } => {
            (*seconds, &[])
        }
        Effect::ListLag { seconds } => (*seconds, &[Operation::CreateVm]),
        Effect::FailLater { .. } | Effect::LeaveLeftovers => {
            (0.0, &[Operation::CreateVm, Operation::DeleteVm])
        }
        Effect::Error { .. } | Effect::Throttle { .. } => (0.0, &[]),
    };
    if !(0.0..=86_400.0).contains(&seconds) {
        return Err(Refusal::invalid(format!("effect.seconds: {seconds} is not between 0 and 86400")));
    }
    if !only_for.is_empty() && !fault.operation.is_some_and(|operation| only_for.contains(&operation)) {
        let names: Vec<String> = only_for.iter().map(Operation::to_string).collect();
        return Err(Refusal::invalid(format!("operation: this effect is for {} only", names.join(" and "))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> Effect {
        Effect::Error { code: Code::Unavailable, message: None }
    }

    #[test]
    fn a_fault_strikes_exactly_the_calls_it_was_aimed_at() {
        let mut faults = Faults::default();
        let fault = Fault { nth: 2, count: Some(2), ..Fault::once(Operation::CreateVm, error()) };
        faults.arm(fault).unwrap();
        let struck: Vec<bool> =
            (0..5).map(|_| faults.strike(Operation::CreateVm, &[]).refusal.is_some()).collect();
        assert_eq!(struck, [false, true, true, false, false]);
        assert_eq!(faults.strike(Operation::GetVm, &[]), Strike::default());
        assert_eq!((faults.list()[0].seen, faults.list()[0].struck), (5, 2));
    }

    #[test]
    fn a_fault_without_a_count_strikes_until_it_is_removed() {
        let mut faults = Faults::default();
        let id = faults.arm(Fault::always(Operation::ListVms, error())).unwrap();
        assert!((0..10).all(|_| faults.strike(Operation::ListVms, &[]).refusal.is_some()));
        faults.disarm(id).unwrap();
        assert_eq!(faults.strike(Operation::ListVms, &[]), Strike::default());
        assert_eq!(faults.disarm(id).unwrap_err().code, Code::NotFound);
    }

    #[test]
    fn a_fault_with_a_subject_leaves_other_subjects_alone() {
        let mut faults = Faults::default();
        let fault = Fault { subject: Some("worker-1".into()), ..Fault::always(Operation::DeleteVm, error()) };
        faults.arm(fault).unwrap();
        assert!(faults.strike(Operation::DeleteVm, &["i-1", "worker-2"]).refusal.is_none());
        assert!(faults.strike(Operation::DeleteVm, &["i-2", "worker-1"]).refusal.is_some());
    }

    #[test]
    fn effects_of_several_faults_add_up() {
        let mut faults = Faults::default();
        faults.arm(Fault::once(Operation::CreateVm, Effect::Latency { seconds: 1.0 })).unwrap();
        faults.arm(Fault::once(Operation::CreateVm, Effect::Latency { seconds: 0.5 })).unwrap();
        faults.arm(Fault::once(Operation::CreateVm, Effect::ListLag { seconds: 2.0 })).unwrap();
        let strike = faults.strike(Operation::CreateVm, &[]);
        assert_eq!(strike.delay, Duration::from_millis(1500));
        assert_eq!(strike.list_lag, Some(Duration::from_secs(2)));
    }

    #[test]
    fn faults_that_make_no_sense_are_refused_with_the_field() {
        let mut faults = Faults::default();
        let cases = [
            (Fault { nth: 0, ..Fault::once(Operation::GetVm, error()) }, "nth"),
            (Fault::once(Operation::GetVm, Effect::LeaveLeftovers), "operation"),
            (Fault::once(Operation::ListVms, Effect::ListLag { seconds: 1.0 }), "operation"),
            (Fault::once(Operation::GetVm, Effect::Latency { seconds: -1.0 }), "effect.seconds"),
            (Fault::once(Operation::GetVm, Effect::Latency { seconds: f64::NAN }), "effect.seconds"),
        ];
        for (fault, field) in cases {
            let refusal = faults.arm(fault).unwrap_err();
            assert!(refusal.message.starts_with(field), "{refusal}");
        }
    }
}
