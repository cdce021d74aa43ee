//! How many machines may be given up for their health at the same time.

use millwright_api::{IntOrPercent, Rounding};
use millwright_decide::machine::{DeletionWeight, MeltdownRule, MeltdownScope};

use super::reading::{Switch, switch};
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Replacing sick machines")]
pub(super) struct ReplacementArgs {
    /// Machines of a group that may be replaced for their health at the same time: a number, or a share of the group
    /// such as 10%. At least one always may.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    machine_max_replacements: String,
    /// What is a group: deployment (machines with the same label `name`), zone or cluster.
    #[arg(long, value_name = "SCOPE", default_value = "deployment")]
    machine_replacement_scope: String,
    /// Whether machines that are being deleted hold back replacements.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "true", default_missing_value = "true")]
    machine_replacement_counts_deletions: String,
}

impl ReplacementArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<MeltdownRule> {
        let Self {
            machine_max_replacements: limit,
            machine_replacement_scope: scope,
            machine_replacement_counts_deletions: deletions,
        } = self;
        let limit = mistakes.read("--machine-max-replacements", &limit, count_or_share);
        let scope = mistakes.read("--machine-replacement-scope", &scope, scope_named);
        let deletions = mistakes.read("--machine-replacement-counts-deletions", &deletions, switch);
        Some(MeltdownRule {
            limit: limit?,
            scope: scope?,
            deletions: match deletions? {
                Switch::On => DeletionWeight::Counts,
                Switch::Off => DeletionWeight::Ignored,
            },
        })
    }
}

fn count_or_share(text: &str) -> Result<IntOrPercent, String> {
    let value = text
        .parse()
        .map_or_else(|_| IntOrPercent::Text(text.to_owned()), |count: i32| IntOrPercent::Int(count));
    match value.resolve(100, Rounding::Down) {
        Ok(1..) => Ok(value),
        _ => Err("write a number from 1, or a percentage from 1% such as 10%".to_owned()),
    }
}

fn scope_named(text: &str) -> Result<MeltdownScope, String> {
    match text {
        "deployment" => Ok(MeltdownScope::Deployment),
        "zone" => Ok(MeltdownScope::Zone),
        "cluster" => Ok(MeltdownScope::Cluster),
        _ => Err("write deployment, zone or cluster".to_owned()),
    }
}
