//! What a drain waits for, since when, and until when: sentences that stay the same as long as nothing changes but
//! counts, and times that are points in time, so that a status need not be written for the clock.

use jiff::Timestamp;
use millwright_api::ObjectView;

use super::eviction::EvictionOutcome;
use super::plan::DrainView;
use super::volumes::{LookUp, PodVolumes, VolumeStage, later};
use super::{Leftovers, PodOnNode, graceful};
use crate::elapsed::whole_seconds;
use crate::machine::MachineAction;

/// How many of a kind are named.
const NAMED: usize = 3;

/// How the sentences begin that change with every pod and volume, or, while an API server is in doubt, with the clock: time
/// without sight puts the deadline off. They need not be written at once.
const VOLATILE: [&str; 3] = ["Pods: ", "Volumes: ", "Forced at "];

pub(super) fn describe(
    view: &DrainView<'_>,
    left: &[&PodOnNode],
    actions: &[MachineAction],
    until: Timestamp,
    now: Timestamp,
) -> String {
    let mut sentences = vec![head(view)];
    sentences.extend(pods(view, left, actions, now));
    sentences.extend(few(left.iter().filter_map(|pod| obstacle(view, pod, now)), "more pods are held up"));
    sentences.extend(unknown_leftovers(view));
    sentences.extend(volumes(view, now));
    sentences.extend(few(lost_volumes(view), "more volumes like this"));
    sentences.push(format!("Forced at {}.", whole_seconds(until)));
    sentences.join(" ")
}

pub(super) fn describe_forced(view: &DrainView<'_>, left: &[&PodOnNode]) -> String {
    format!("{} Forced: deleting {} pods without waiting for them.", head(view), left.len())
}

fn head(view: &DrainView<'_>) -> String {
    format!("Draining node {} since {}.", view.node.name(), whole_seconds(view.since))
}

/// Since when the node is drained, as a description says it.
pub(crate) fn said_since(description: &str, node: &str) -> Option<Timestamp> {
    said_after(description, &format!("Draining node {node} since "))
}

/// The time that a description says after these words.
pub(super) fn said_after(description: &str, words: &str) -> Option<Timestamp> {
    let (_, rest) = description.split_once(words)?;
    rest.split_once('Z').and_then(|(time, _)| format!("{time}Z").parse().ok())
}

/// Two descriptions that differ in nothing but counts, names of pods that go as they should, and request ids.
pub(crate) fn waits_for_the_same(a: &str, b: &str) -> bool {
    let kinds = |text: &'_ str| -> Vec<String> {
        text.split(". ")
            .map(|sentence| match VOLATILE.iter().find(|start| sentence.starts_with(**start)) {
                Some(start) => (*start).to_owned(),
                None => match sentence.split_once(" failed: ") {
                    Some((what, why)) => {
                        let words = why.split_whitespace();
                        let same = words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
                        format!("{what} failed: {}", same.collect::<Vec<_>>().join(" "))
                    }
                    None => sentence.to_owned(),
                },
            })
            .collect()
    };
    kinds(a) == kinds(b)
}

/// Up to three sentences, and one that says that there are more.
fn few(sentences: impl Iterator<Item = String>, more: &str) -> Vec<String> {
    let mut sentences: Vec<String> = sentences.collect();
    if sentences.len() > NAMED {
        sentences.truncate(NAMED);
        sentences.push(format!("And {more}."));
    }
    sentences
}

fn named(mut names: Vec<String>, between: &str) -> String {
    let hidden = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let names = names.join(between);
    if hidden == 0 { names } else { format!("{names} and {hidden} more") }
}

fn name(pod: &PodOnNode) -> String {
    format!("{}/{}", pod.id.namespace, pod.id.name)
}

fn pods(
    view: &DrainView<'_>,
    left: &[&PodOnNode],
    actions: &[MachineAction],
    now: Timestamp,
) -> Option<String> {
    if left.is_empty() {
        return None;
    }
    let memory = view.memory;
    let is_asked = |pod: &PodOnNode| {
        pod.deleted_at.is_some()
            || memory.evictions.get(&pod.id.uid).is_some_and(|r| r.outcome == EvictionOutcome::Accepted)
            || actions.iter().any(|action| action.pod() == Some(&pod.id))
    };
    let (ending, waiting): (Vec<&PodOnNode>, Vec<&PodOnNode>) =
        left.iter().copied().filter(|pod| obstacle(view, pod, now).is_none()).partition(|pod| is_asked(pod));
    let mut sentence = format!("Pods: {} of {} left", left.len(), memory.seen.len().max(left.len()));
    if !ending.is_empty() {
        sentence += &format!("; ending: {}", named(ending.into_iter().map(name).collect(), ", "));
    }
    if !waiting.is_empty() {
        sentence += &format!("; {} to follow", waiting.len());
    }
    if waiting.iter().any(|pod| graceful::has_volumes(memory, pod)) {
        let places = view.settings.parallel_volume_evictions.max(1);
        sentence += &format!(", at most {places} with volumes at the same time");
    }
    Some(sentence + ".")
}

/// Why a pod does not go although it should.
fn obstacle(view: &DrainView<'_>, pod: &PodOnNode, now: Timestamp) -> Option<String> {
    let memory = view.memory;
    if let Some(deleted) = pod.deleted_at {
        return graceful::is_overdue(view, pod, now)
            .then(|| format!("{} should have ended at {}.", name(pod), whole_seconds(deleted)));
    }
    if let Some(PodVolumes { look_up: LookUp::Failing { message, .. }, .. }) = memory.volumes.get(&pod.id.uid)
        && memory.volumes.get(&pod.id.uid).is_some_and(|volumes| volumes.look_up.is_open())
    {
        return Some(format!("finding the volumes of {} failed: {}.", name(pod), in_one_sentence(message)));
    }
    let record = memory.evictions.get(&pod.id.uid)?;
    let since = whole_seconds(record.first_at);
    match &record.outcome {
        EvictionOutcome::Accepted => None,
        EvictionOutcome::Blocked { budget } => {
            Some(format!("{} is held back by disruption budget {budget} since {since}.", name(pod)))
        }
        EvictionOutcome::Misconfigured { budget } => Some(format!(
            "error while evicting pod {:?}: pod disruption budget {budget} is misconfigured and requires zero \
             voluntary evictions (tried since {since}).",
            pod.id.name
        )),
        EvictionOutcome::Failed { message } => {
            Some(format!("evicting {} failed: {}.", name(pod), in_one_sentence(message)))
        }
    }
}

/// Why it is not known whose volumes are attached.
fn unknown_leftovers(view: &DrainView<'_>) -> Option<String> {
    let Leftovers::Failing { message } = &view.memory.leftovers else { return None };
    Some(format!("finding the volumes of pods that went before failed: {}.", in_one_sentence(message)))
}

/// Volumes that are waited for, of pods that are gone.
fn volumes(view: &DrainView<'_>, now: Timestamp) -> Option<String> {
    let memory = view.memory;
    let here =
        |uid: &String| memory.listing.iter().flat_map(|listing| &listing.pods).any(|pod| pod.id.uid == *uid);
    let of_pods =
        memory.volumes.iter().filter(|(uid, _)| !here(uid)).filter_map(|(uid, pod)| match pod.stage {
            VolumeStage::Detaching { since } => Some(format!(
                "{} waits to be detached until {}",
                owned(view, uid, pod),
                whole_seconds(pod.detach_limit(since, view.settings, view.trusted_since))
            )),
            VolumeStage::Reattaching { since } => Some(format!(
                "{} waits to be attached elsewhere until {}",
                owned(view, uid, pod),
                whole_seconds(later(since, view.settings.pv_reattach_timeout))
            )),
            VolumeStage::Unplaced => {
                Some(format!("{} was not attached elsewhere in time", owned(view, uid, pod)))
            }
            _ => None,
        });
    let left_behind = memory
        .leftovers_until(view.node, view.attachments, view.settings, view.trusted_since)
        .filter(|until| now < *until)
        .map(|until| {
            let names = named(memory.unaccounted(view.node, view.attachments), ", ");
            format!("{names} of an unknown pod waits to be detached until {}", whole_seconds(until))
        });
    let waits: Vec<String> = of_pods.chain(left_behind).collect();
    (!waits.is_empty()).then(|| format!("Volumes: {}.", named(waits, "; ")))
}

/// Volumes that are not waited for although they should be.
fn lost_volumes(view: &DrainView<'_>) -> impl Iterator<Item = String> {
    view.memory.volumes.iter().flat_map(|(uid, pod)| {
        let overdue = match pod.stage {
            VolumeStage::Overdue { at } => Some(format!(
                "{} should have been detached until {}.",
                owned(view, uid, pod),
                whole_seconds(at)
            )),
            _ => None,
        };
        let given_up = match &pod.look_up {
            LookUp::Failing { message, .. } if !pod.look_up.is_open() => {
                Some(format!("The volumes of {} are not known: {}.", pod.pod, in_one_sentence(message)))
            }
            _ => None,
        };
        let untracked = pod
            .untracked
            .iter()
            .map(|why| format!("A volume of {} is not waited for: {}.", pod.pod, in_one_sentence(why)));
        overdue.into_iter().chain(given_up).chain(untracked).collect::<Vec<_>>()
    })
}

fn in_one_sentence(text: &str) -> String {
    text.trim_end_matches('.').replace(". ", "; ")
}

fn owned(view: &DrainView<'_>, uid: &str, pod: &PodVolumes) -> String {
    let names: Vec<&str> = view.memory.tracked(uid).iter().map(|volume| volume.name.as_str()).collect();
    match pod.pod.as_str() {
        "" => format!("volume {}", names.join(", ")),
        pod if names.is_empty() => format!("an unknown volume of {pod}"),
        pod => format!("volume {} of {pod}", names.join(", ")),
    }
}
