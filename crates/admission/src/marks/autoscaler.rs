//! Annotations by which an autoscaler knows a group: its sizes, what its nodes will offer, and its options.

use millwright_api::GoDuration;
use millwright_api::keys::annotations::{
    AUTOSCALER_CAPACITY_PREFIX, CLUSTER_API_MAX_SIZE, CLUSTER_API_MIN_SIZE,
};

use super::{MOST_ENTRIES, text};
use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::{quantity, rules, syntax};

const AMOUNTS: [&str; 3] = ["cpu", "memory", "ephemeral-disk"];
const NUMBERS: [&str; 2] = ["maxPods", "gpu-count"];
const OTHERS: [&str; 5] = ["gpu-type", "dra-driver", "csi-driver", "labels", "taints"];
const OPTION_PREFIX: &str = "machine.sapcloud.io/autoscaling-options-";
const SHARES: [&str; 2] = ["scaledownutilizationthreshold", "scaledowngpuutilizationthreshold"];
const TIMES: [&str; 4] =
    ["scaledownunneededtime", "scaledownunreadytime", "maxnodeprovisiontime", "maxnodestartuptime"];

pub(super) fn judge(annotations: &Field<'_>, findings: &mut Findings) {
    judge_sizes(annotations, findings);
    let Some(map) = annotations.value().and_then(|value| value.as_object()) else { return };
    for key in map.keys() {
        if findings.is_full() {
            return;
        }
        let annotation = annotations.key(key);
        if let Some(name) = key.strip_prefix(AUTOSCALER_CAPACITY_PREFIX) {
            judge_capacity(name, &annotation, findings);
        } else if let Some(name) = key.strip_prefix(OPTION_PREFIX) {
            judge_option(name, &annotation, findings);
        }
    }
}

fn judge_sizes(annotations: &Field<'_>, findings: &mut Findings) {
    let (least, most) = (annotations.key(CLUSTER_API_MIN_SIZE), annotations.key(CLUSTER_API_MAX_SIZE));
    let (least, most) = (size(&least, findings), (size(&most, findings), most));
    if let (Some(least), (Some(most), field)) = (least, most)
        && least > most
    {
        let detail =
            format!("{most} is less than the smallest size, {least}; the autoscaler would read neither");
        findings.invalid(rules::AUTOSCALER_SIZE, &field, detail);
    }
}

fn size(field: &Field<'_>, findings: &mut Findings) -> Option<u32> {
    let written = field.value()?.as_str()?;
    let size = written.parse::<u32>().ok().filter(|size| i32::try_from(*size).is_ok());
    if size.is_none() {
        let detail = format!("{written:?} is not a number of machines; write 0 or more");
        findings.invalid(rules::AUTOSCALER_SIZE, field, detail);
    }
    size
}

/// What a node will offer: read only when somebody scales from zero, and then as a whole.
fn judge_capacity(name: &str, field: &Field<'_>, findings: &mut Findings) {
    let written = text(field).unwrap_or_default();
    let problem = if AMOUNTS.contains(&name) {
        quantity::read(written).err().map(str::to_owned)
    } else if NUMBERS.contains(&name) {
        written.parse::<u32>().err().map(|_| "is not a whole number, 0 or more".to_owned())
    } else if name == "labels" {
        first_bad(written, is_label)
            .map(|part| format!("holds {part:?}; write key=value with commas between"))
    } else if name == "taints" {
        first_bad(written, is_taint)
            .map(|part| format!("holds {part:?}; write key=value:Effect with commas between"))
    } else {
        None
    };
    if let Some(problem) = problem {
        findings.invalid(rules::AUTOSCALER_CAPACITY, field, format!("{written:?} {problem}"));
    }
    let known = || AMOUNTS.into_iter().chain(NUMBERS).chain(OTHERS);
    if !known().any(|other| other == name) {
        let near = suggestion(name, known());
        findings.warn(rules::ANNOTATION_KNOWN, field, format!("no autoscaler reads {name:?}{near}"));
    }
}

fn judge_option(name: &str, field: &Field<'_>, findings: &mut Findings) {
    let written = text(field).unwrap_or_default();
    let is_share = |text: &str| text.parse::<f64>().is_ok_and(|share| (0.0..=1.0).contains(&share));
    if SHARES.contains(&name) && !is_share(written) {
        let detail = format!("{written:?} is ignored; write a share from 0 to 1, such as 0.5");
        findings.warn(rules::AUTOSCALER_OPTION, field, detail);
    } else if TIMES.contains(&name) && GoDuration(written.to_owned()).parse().is_err() {
        let detail = format!("{written:?} is ignored; write a duration such as 10m");
        findings.warn(rules::AUTOSCALER_OPTION, field, detail);
    }
    let known = || SHARES.into_iter().chain(TIMES);
    if !known().any(|other| other == name) {
        let near = suggestion(name, known());
        findings.warn(rules::ANNOTATION_KNOWN, field, format!("no autoscaler reads {name:?}{near}"));
    }
}

fn first_bad(list: &str, is_good: fn(&str) -> bool) -> Option<&str> {
    list.split(',')
        .take(MOST_ENTRIES)
        .filter(|part| !list.is_empty() || !part.is_empty())
        .find(|part| !is_good(part))
}

fn is_label(part: &str) -> bool {
    part.split_once('=')
        .is_some_and(|(key, value)| syntax::qualified_name(key).is_ok() && syntax::label_value(value).is_ok())
}

fn is_taint(part: &str) -> bool {
    let Some((taint, effect)) = part.rsplit_once(':') else { return false };
    let (key, value) = taint.split_once('=').unwrap_or((taint, ""));
    crate::node_template::EFFECTS.contains(&effect)
        && syntax::qualified_name(key).is_ok()
        && syntax::label_value(value).is_ok()
}
