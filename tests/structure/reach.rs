//! What a crate brings with it: its normal dependencies, theirs, and so on.
//!
//! Cargo's own resolve graph unites the features of the whole workspace, so that a pure crate would seem to
//! reach what another crate switched on. This walk starts at one crate and switches on only what that crate
//! asks for, directly or through others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cargo_metadata::{Dependency, DependencyKind, Package, PackageId};

use crate::workspace::metadata;

/// Where a walk starts.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) package: &'a Package,
    pub(crate) features: &'a [&'a str],
}

/// Names of the reached crates, each with the name it was first reached from.
pub(crate) struct Reach {
    start: String,
    from: BTreeMap<String, String>,
}

impl Reach {
    pub(crate) fn of(start: Start<'_>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
        for package in &metadata().packages {
            by_name.entry(package.name.as_str()).or_default().push(package);
        }
        let mut from = BTreeMap::new();
        let mut features: BTreeMap<&PackageId, BTreeSet<String>> = BTreeMap::new();
        let first = start.features.iter().map(|&feature| feature.to_owned()).collect();
        let mut queue = VecDeque::from([(start.package, first)]);
        while let Some((package, wanted)) = queue.pop_front() {
            let known = features.entry(&package.id);
            let is_new = matches!(known, std::collections::btree_map::Entry::Vacant(_));
            let known = known.or_default();
            let before = known.len();
            known.extend::<BTreeSet<String>>(wanted);
            if !is_new && known.len() == before {
                continue;
            }
            let on = Enabled::by(package, known);
            for dependency in &package.dependencies {
                let Some(asked) = on.asks(dependency) else { continue };
                let fitting = by_name.get(dependency.name.as_str()).into_iter().flatten();
                for child in fitting.filter(|child| dependency.req.matches(&child.version)) {
                    from.entry(child.name.to_string()).or_insert_with(|| package.name.to_string());
                    queue.push_back((child, asked.clone()));
                }
            }
        }
        Self { start: start.package.name.to_string(), from }
    }

    /// The names from the start to a crate, when it is reached.
    pub(crate) fn way_to(&self, name: &str) -> Option<Vec<&str>> {
        let mut way = vec![self.from.get_key_value(name)?.0.as_str()];
        while way.last() != Some(&self.start.as_str()) {
            way.push(&self.from[*way.last()?]);
        }
        way.reverse();
        Some(way)
    }
}

/// What a set of features of one package switches on.
struct Enabled {
    optional: BTreeSet<String>,
    forwarded: BTreeMap<String, BTreeSet<String>>,
}

impl Enabled {
    fn by(package: &Package, wanted: &BTreeSet<String>) -> Self {
        let mut enabled = Self { optional: BTreeSet::new(), forwarded: BTreeMap::new() };
        let mut seen = BTreeSet::new();
        let mut queue: Vec<&str> = wanted.iter().map(String::as_str).collect();
        while let Some(item) = queue.pop() {
            if !seen.insert(item) {
                continue;
            }
            if let Some(name) = item.strip_prefix("dep:") {
                enabled.optional.insert(name.to_owned());
            } else if let Some((name, feature)) = item.split_once('/') {
                let weak = name.strip_suffix('?');
                let name = weak.unwrap_or(name);
                if weak.is_none() {
                    enabled.optional.insert(name.to_owned());
                }
                enabled.forwarded.entry(name.to_owned()).or_default().insert(feature.to_owned());
            } else {
                queue.extend(package.features.get(item).into_iter().flatten().map(String::as_str));
            }
        }
        enabled
    }

    /// The features that are asked of a dependency, when it is switched on.
    fn asks(&self, dependency: &Dependency) -> Option<BTreeSet<String>> {
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
        let normal = dependency.kind == DependencyKind::Normal;
        if !normal || (dependency.optional && !self.optional.contains(name)) {
            return None;
        }
        let mut asked: BTreeSet<String> = dependency.features.iter().cloned().collect();
        if dependency.uses_default_features {
            asked.insert("default".to_owned());
        }
        asked.extend(self.forwarded.get(name).into_iter().flatten().cloned());
        Some(asked)
    }
}
