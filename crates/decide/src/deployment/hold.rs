//! What keeps a rollout from going on although its user wants it: a maintenance window that is closed, and the bound on
//! machines of the whole fleet that are in work. Answers which steps are left then; scaling and repair are not its business.
//!
//! What is under way comes to its end. Outside of its window a rollout takes no machine away and makes none but those that
//! are missing, so machines of a surge stay. Without a place in the bound it still replaces what its surge has made.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::ObjectView;
use millwright_api::keys::annotations::MAINTENANCE_WINDOW;

use super::claim::Claim;
use super::standing::Standing;
use super::{DeploymentAction, DeploymentView, Fences, SetFacts, in_place, recreate, rolling, scale};
use crate::Requeue;
use crate::elapsed::elapsed;
use crate::fleet_bound::{Appetite, FreePlaces, InWork, Part, PlaceUse, Places, cost, missed};
use crate::maintenance::{Maintenance, maintenance};

/// Whoever waits for others is woken when they are done; this is for what nobody heard of.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Why a rollout waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    /// Reason of the condition.
    pub(super) reason: &'static str,
    /// For people: what it waits for, and until when.
    pub(super) message: String,
    /// When to look again.
    pub(super) requeue: Requeue,
}

/// How far a rollout may go now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outlook {
    /// Whether it goes on as far as others are concerned.
    pub(super) standing: Standing,
    /// The fences of its steps.
    pub(super) fences: Fences,
    /// What it waits for.
    pub(super) hold: Option<Hold>,
    /// When to look again.
    pub(super) requeue: Requeue,
    /// What it would make of the fleet's bound.
    pub(super) places: PlaceUse,
}

impl Outlook {
    /// What the steps of a plan, and those it would like to take beside, make of the fleet's bound.
    pub(super) fn places_of(&self, claim: &Claim<'_>, actions: &[DeploymentAction]) -> PlaceUse {
        match self.places {
            PlaceUse::Asked { taken: _, lacking, appetite, sick } => {
                let taken = cost(self.fences.replicas, claim.all(), actions);
                PlaceUse::Asked { taken, lacking, appetite, sick }
            }
            PlaceUse::NotAsked => PlaceUse::NotAsked,
        }
    }
}

/// Whether the rollout must wait now for its maintenance window.
pub(super) fn of(view: &DeploymentView<'_>, claim: &Claim<'_>, now: Timestamp) -> Option<Hold> {
    if view.deployment.spec.paused || !is_rolling(claim) {
        return None;
    }
    match maintenance(view.deployment, &view.settings.bounds, now) {
        Maintenance::Open { .. } => None,
        Maintenance::Closed { windows, opening } => {
            let opens = opening.map_or_else(
                || "which opens in years only".to_owned(),
                |opening| format!("which opens next at {opening}"),
            );
            Some(Hold {
                reason: "OutsideMaintenanceWindow",
                message: format!("The rollout waits for its maintenance window ({windows}), {opens}."),
                requeue: at(opening.map(|opening| opening.at), now),
            })
        }
        Maintenance::Unreadable { reason } => Some(Hold {
            reason: "MaintenanceWindowUnreadable",
            message: format!(
                "The rollout waits because annotation {MAINTENANCE_WINDOW} can't be read: {reason}."
            ),
            requeue: Requeue::OnChange,
        }),
    }
}

/// How far the rollout may go now.
pub(super) fn outlook(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    fences: Fences,
    now: Timestamp,
) -> Outlook {
    let mut outlook = Outlook {
        standing: Standing::Going,
        fences,
        hold: None,
        requeue: Requeue::OnChange,
        places: PlaceUse::NotAsked,
    };
    if view.deployment.spec.paused || !(is_rolling(claim) || is_ending(claim, fences)) {
        return outlook;
    }
    if let Some(hold) = of(view, claim, now) {
        outlook.standing = Standing::Stopped;
        outlook.fences = fences.within(in_work(claim, fences), 0);
        outlook.requeue = hold.requeue;
        outlook.hold = Some(hold);
        return outlook;
    }
    // That the window has closed must be said although nothing else happens.
    if let Maintenance::Open { until } = maintenance(view.deployment, &view.settings.bounds, now) {
        outlook.requeue = at(until, now);
    }
    if let Places::Bounded(places) = &view.places {
        bound(&mut outlook, view, claim, places);
    }
    outlook
}

/// The size of the newest set while its rollout is stopped: machines that are missing were taken away before, and more than
/// are wanted nobody asked for.
pub(super) fn right_size(claim: &Claim<'_>, fences: Fences) -> Option<DeploymentAction> {
    let newest = claim.newest.as_ref()?;
    let size = rolling::newest_size(claim, fences.within(in_work(claim, fences), 0));
    (size != newest.set.spec.replicas).then(|| scale::to(newest.set, size, fences)).flatten()
}

/// Narrows the outlook to the places that there are.
fn bound(outlook: &mut Outlook, view: &DeploymentView<'_>, claim: &Claim<'_>, places: &FreePlaces) {
    let fences = outlook.fences;
    let appetite = match view.deployment.spec.strategy.type_.as_str() {
        "Recreate" => Appetite::Whole,
        _ => Appetite::Portions,
    };
    let own = in_work(claim, fences);
    let sick = claim.old.iter().map(|facts| Part::of(facts).sick()).sum();
    let free = places.free(own, sick);
    let wish = next_cost(view, claim, fences);
    let taken = if places.allow(wish, appetite, free, sick) {
        wish
    } else if appetite == Appetite::Whole {
        outlook.standing = Standing::Stopped;
        0
    } else {
        outlook.fences = fences.within(own, free);
        // A set for which there is no machine yet is made when there is one.
        if claim.newest.is_none() && newest_size(view, claim, outlook.fences) == 0 {
            outlook.standing = Standing::Stopped;
        }
        next_cost(view, claim, outlook.fences)
    };
    let lacking = (wish - taken).max(0);
    // Who takes its steps without a place, as one whose nodes are selected by hand, keeps nobody else from being cured.
    let sick = if wish > 0 { sick } else { 0 };
    outlook.places = PlaceUse::Asked { taken, lacking, appetite, sick };
    if lacking > 0 {
        outlook.requeue = outlook.requeue.or(Requeue::After(LOOK_AGAIN));
        // As long as it has machines in work of its own it goes on, if slowly.
        outlook.hold = (taken == 0 && own.total() <= sick).then(|| bound_hold(places, own));
    }
}

/// How many machines the next steps take into work within these fences.
fn next_cost(view: &DeploymentView<'_>, claim: &Claim<'_>, fences: Fences) -> i32 {
    let is_in_place = in_place::applies(view);
    let mut beside = 0;
    let steps = match view.deployment.spec.strategy.type_.as_str() {
        "Recreate" => recreate::plan(claim, fences),
        _ if claim.newest.is_none() => {
            beside = growth_cost(claim, fences, newest_size(view, claim, fences));
            Vec::new()
        }
        _ if is_in_place => {
            if in_place::Orchestration::of(view.deployment) == in_place::Orchestration::Auto {
                beside = missed(claim.all(), &in_place::chosen(claim, fences));
            }
            in_place::plan(claim, fences, Standing::Going)
        }
        "" | "RollingUpdate" => rolling::plan(claim, fences),
        _ => Vec::new(),
    };
    cost(fences.replicas, claim.all(), &steps) + beside
}

/// The size with which the set of the current template would begin.
fn newest_size(view: &DeploymentView<'_>, claim: &Claim<'_>, fences: Fences) -> i32 {
    if in_place::applies(view) {
        in_place::newest_size(claim, fences)
    } else {
        rolling::newest_size(claim, fences)
    }
}

/// What a set of that size adds to the surplus.
fn growth_cost(claim: &Claim<'_>, fences: Fences, size: i32) -> i32 {
    let room: i32 = claim.all().map(SetFacts::room).sum();
    (room + size - room.max(fences.replicas)).max(0)
}

fn at(time: Option<Timestamp>, now: Timestamp) -> Requeue {
    time.map_or(Requeue::OnChange, |time| Requeue::After(elapsed(now, time)))
}

fn bound_hold(places: &FreePlaces, own: InWork) -> Hold {
    let limit = places.limit;
    let mut message = format!(
        "The rollout waits because at most {limit} machines of all deployments may be in work at the same time \
         (--max-machines-in-replacement)"
    );
    if !places.at_work.is_empty() {
        message.push_str(&format!("; at work: {}", listed(&places.at_work)));
    }
    if own.total() > 0 {
        message.push_str("; some of its own are not available");
    }
    if !places.ahead.is_empty() {
        message.push_str(&format!("; its turn is after {}", listed(&places.ahead)));
    }
    message.push('.');
    Hold { reason: "FleetBoundReached", message, requeue: Requeue::After(LOOK_AGAIN) }
}

/// A few names, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Machines are to be replaced; those that are only missing come in any case.
fn is_rolling(claim: &Claim<'_>) -> bool {
    claim.old.iter().any(|facts| facts.set.spec.replicas > 0 && !facts.set.is_deleting())
}

/// The last old machines were given up and linger, and not all of their successors are asked for yet: one that comes beside
/// them takes a place as any other.
fn is_ending(claim: &Claim<'_>, fences: Fences) -> bool {
    let is_short = claim.newest.as_ref().is_some_and(|newest| newest.set.spec.replicas < fences.replicas);
    is_short && claim.old.iter().any(|facts| facts.room() > 0)
}

fn in_work(claim: &Claim<'_>, fences: Fences) -> InWork {
    InWork::among(fences.replicas, claim.all().map(Part::of))
}
